extension UnitOfWork {
    /// Appends one entry for each fragment, in their order.
    public mutating func broadcast(_ fragments: [Fragment]) throws -> [Cursor] {
        var cursors: [Cursor] = []
        for fragment in fragments {
            cursors.append(cursor(try append(Notice(kind: .broadcast), fragments: [fragment]).position))
        }
        return cursors
    }

    /// Records that an app's broadcasts up to now may not have arrived.
    public mutating func recordLostBroadcasts() throws -> Cursor {
        let entry = try append(Notice(kind: .broadcastsLost))
        changes.lostBroadcasts = entry.position
        return cursor(entry.position)
    }

    /// Sends both fragments, in their current state, to a user's pages.
    public mutating func rebroadcast(to user: UserID) throws {
        let entitlements = entitlements(of: user, try contracts(.held(by: user)))
        let fragments = fragments(Announcement.current(entitlements), for: user)
        guard !fragments.isEmpty else { return }
        var notice = Notice(kind: .broadcast)
        notice.user = user
        notice.active = entitlements.isActive
        _ = try append(notice, fragments: fragments)
    }
}
