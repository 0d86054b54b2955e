internal import Domain
internal import Synchronization

/// Packs bodies before they reach the writer, on the threads that have verified them.
///
/// A header is shared once it has come a second time: one that is never the same again would only add a row for each
/// event. Any thread may use it.
final class BodyPacker: Sendable {
    /// The headers that came last, the newest first.
    private let seen = Mutex<[[UInt8]]>([])
    private static let memory = 32

    /// The event with its body and its header as they are stored.
    func packed(_ event: Event) -> Event {
        guard !event.body.isEmpty else { return event }
        let stored = StoredBody(event.body, sharing: event.header.flatMap { isKnown($0) ? $0 : nil })
        var event = event
        event.body = stored.bytes
        event.header = stored.header
        return event
    }

    /// Whether it has come before, among the last.
    private func isKnown(_ header: [UInt8]) -> Bool {
        seen.withLock { seen in
            if let index = seen.firstIndex(of: header) {
                if index > 0 { seen.insert(seen.remove(at: index), at: 0) }
                return true
            }
            seen.insert(header, at: 0)
            if seen.count > BodyPacker.memory { seen.removeLast() }
            return false
        }
    }
}
