internal import APIModel
public import Domain

/// A committed entry as developers see it: one JSON object, which the feed sends as one Server-Sent Event.
public enum FeedEvent {
    private static let resetMessage =
        "Your cursor does not belong to this ledger, which may have been restored. Read all of it with since=start."

    public static func json(_ entry: Entry, epoch: String) -> [UInt8] {
        JSON.encode(FeedItem(entry, epoch: epoch))
    }

    /// The complete block, with its cursor as `id:`.
    public static func block(_ entry: Entry, epoch: String) -> [UInt8] {
        EventStream.event(json(entry, epoch: epoch), cursor: Cursor(epoch: epoch, position: entry.position))
    }

    /// The complete block that tells a consumer that its cursor does not belong to this ledger: `event: reset`, with
    /// the position after which it is told everything.
    public static func reset(to head: Cursor) -> [UInt8] {
        let reset = JSON.encode(FeedReset(cursor: head, message: resetMessage))
        return Array("event: reset\n".utf8) + EventStream.event(reset, cursor: head)
    }
}
