/// What is to be done with the answer to a question that was asked with others.
public struct LedgerAnswer {
    /// The others may have failed because of it.
    public let isFailure: Bool
    public let tell: () -> Void

    public init(isFailure: Bool, tell: @escaping () -> Void) {
        self.isFailure = isFailure
        self.tell = tell
    }
}
