/// The answer to one of several questions that were asked together.
public struct LedgerAnswer {
    /// True if it failed, perhaps because of the others: each is then asked alone.
    public let isFailure: Bool
    public let tell: () -> Void

    public init(isFailure: Bool, tell: @escaping () -> Void) {
        self.isFailure = isFailure
        self.tell = tell
    }
}
