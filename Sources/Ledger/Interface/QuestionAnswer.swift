/// The answer to one of several questions that were asked together.
public struct QuestionAnswer {
    /// True if it failed, perhaps because of the others: each is then asked alone.
    public let isFailure: Bool
    public let deliver: () -> Void
}
