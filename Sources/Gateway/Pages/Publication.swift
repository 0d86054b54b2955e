public import Domain
public import Hub

/// What one commit, or one transient broadcast, has for the pages of a loop.
public struct Publication: Sendable {
    /// For developers' feeds; nil for a transient broadcast, which is no event.
    public var entry: Entry?
    public var messages: [Message]

    public init(entry: Entry?, messages: [Message]) {
        self.entry = entry
        self.messages = messages
    }
}
