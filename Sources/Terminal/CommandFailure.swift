/// Why a command could not do its work: one line that says what to do.
public struct CommandFailure: Error, Equatable {
    public static let exitCode: Int32 = 1

    public var message: String

    public init(_ message: String) {
        self.message = message
    }
}
