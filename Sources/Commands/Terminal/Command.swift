/// A command: the first word after `paycast`.
public protocol Command {
    static var name: String { get }

    /// Takes the arguments that it knows; the caller rejects the rest.
    init(_ arguments: inout Arguments) throws(UsageError)

    /// Returns the exit code.
    func run() throws(CommandFailure) -> Int32
}

/// Why a command could not do its work: one line that says what to do.
public struct CommandFailure: Error, Equatable {
    public static let exitCode: Int32 = 1

    public var message: String

    public init(_ message: String) {
        self.message = message
    }
}
