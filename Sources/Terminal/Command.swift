/// A command: the first word after `paycast`.
public protocol Command {
    static var name: String { get }

    /// Takes the arguments that it knows; the caller rejects the rest.
    init(_ arguments: inout Arguments) throws(UsageError)

    /// Returns the exit code.
    func run() throws(CommandFailure) -> Int32
}
