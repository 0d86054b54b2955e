internal import Domain
internal import Hub
internal import LedgerInterface
internal import Pages
internal import TurboStreams

extension MissedMessages {
    static let unreadable = MissedMessages(through: 0, messages: [], extent: .unreadable)

    /// Renders what was missed with the current templates. A refresh makes up for what can no longer be sent.
    init(_ missed: MissedFragments, on stream: StreamName, renderer: Renderer) {
        var messages = missed.items.map {
            Message(position: $0.position, fragments: $0.fragments, on: stream, renderer: renderer)
        }
        if let lost = missed.lost {
            let place = messages.firstIndex { $0.position ?? 0 > lost } ?? messages.endIndex
            messages.insert(Message(stream: stream, position: lost, parts: [.refresh]), at: place)
        }
        if missed.needsRefresh, missed.newest ?? 0 >= missed.lost ?? 0 {
            // The refresh has the position of what it heals, not the ledger's newest position: once it has reloaded a
            // page, another user's purchase must not reload that page again.
            messages.append(Message(stream: stream, position: missed.newest, parts: [.refresh]))
        }
        self.init(
            through: missed.through.position,
            messages: messages,
            hasGap: missed.isTruncated || missed.isUnknownCursor
        )
    }
}
