/// Why a command could not do its work: one line that says what to do. Exit code 1.
public struct CommandFailure: Error, Equatable {
    public var message: String

    public init(_ message: String) {
        self.message = message
    }
}
