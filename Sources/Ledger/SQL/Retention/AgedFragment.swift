/// A fragment that has passed the retention age, once everything older in its stream and target is gone.
struct AgedFragment {
    enum Fate {
        case stays, goes, becomesRefresh
    }

    var stream: String
    var key: String
    var position: Int64
    var ordinal: Int64
    var content: String

    /// Its stream, target and position.
    var place: [Value] { [.text(stream), .text(key), .integer(position)] }

    /// A fragment that shows the user's state stays until a newer one does, because a page that comes without a cursor
    /// gets it. An app's markup goes; a page with an older cursor reloads instead.
    func fate(isSuperseded: Bool) -> Fate {
        if key.isEmpty { return .becomesRefresh }
        if isSuperseded { return .goes }
        return content == "template" || content == "none" ? .stays : .becomesRefresh
    }

    static func read(_ row: Row) -> AgedFragment {
        AgedFragment(
            stream: row.text(0),
            key: row.text(1),
            position: row.integer(2),
            ordinal: row.integer(3),
            content: row.text(4)
        )
    }
}
