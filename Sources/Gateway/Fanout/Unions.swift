import Domain
import Pages

/// The streams that pages of this loop follow together, each page over one connection.
///
/// Such a page is subscribed to one stream, the union of those. What is published on a member is also published there, so
/// that the page gets everything in the ledger's order, and one cursor says how far it is. Pages of the same streams share
/// a union, and with it their frames.
struct Unions {
    private var members: [StreamName: [StreamName]] = [:]
    /// By each of their members.
    private var unions: [StreamName: Set<StreamName>] = [:]

    /// So it is on most servers: a message then costs no more than this question.
    var isEmpty: Bool { members.isEmpty }

    mutating func add(_ union: StreamName, of streams: [StreamName]) {
        guard members.updateValue(streams, forKey: union) == nil else { return }
        for stream in streams { unions[stream, default: []].insert(union) }
    }

    mutating func remove(_ union: StreamName) {
        for stream in members.removeValue(forKey: union) ?? [] {
            unions[stream]?.remove(union)
            if unions[stream]?.isEmpty == true { unions[stream] = nil }
        }
    }

    /// Nil if it is no union.
    func members(of stream: StreamName) -> [StreamName]? { isEmpty ? nil : members[stream] }

    func containing(_ stream: StreamName) -> Set<StreamName> { unions[stream] ?? [] }

    /// What unions get of the messages of one entry, or of a transient one.
    func messages(for messages: some Sequence<Message>) -> [Message] {
        var found: [StreamName: [Message]] = [:]
        for message in messages {
            for union in containing(message.stream) { found[union, default: []].append(message) }
        }
        return found.flatMap { union, messages in messages.joined(on: union) }
    }
}
