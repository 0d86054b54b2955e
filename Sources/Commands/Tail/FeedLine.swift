import Domain

/// Formats one entry for people: in aligned columns, with a color for the outcome.
struct FeedLine {
    let isColourful: Bool

    func render(_ entry: FeedEntry) -> String {
        let outcome = entry["outcome"] ?? "-"
        let columns = [
            clock(entry["at"]),
            padded(entry["provider"] ?? "-", to: 11),
            padded(entry.label, to: 30),
            coloured(padded(outcome, to: 11), by: outcome),
            padded(entry["user"].map { "user=" + $0 } ?? "-", to: 16),
            padded(change(entry), to: 26),
            plain(entry["product"] ?? "-"),
        ]
        let fragments = entry.fragments.isEmpty ? [] : ["→ " + plain(entry.fragments.joined(separator: " "))]
        let reason = entry.reason.map { ["(\(plain($0)))"] } ?? []
        return (columns + fragments + reason).joined(separator: "  ")
    }

    /// `active → expired`, or the state alone if there was none before.
    private func change(_ entry: FeedEntry) -> String {
        let states = [entry["previous_state"], entry["state"]].compactMap { $0 }
        return states.isEmpty ? "-" : states.joined(separator: " → ")
    }

    private func coloured(_ text: String, by outcome: String) -> String {
        guard isColourful else { return text }
        let colour =
            switch outcome {
            case "applied": 32
            case "duplicate", "stale", "ignored": 90
            case "unclaimed": 33
            case "quarantined": 31
            default: 39
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}

/// In UTC: `2026-01-31 12:34:56.789`.
func clock(_ instant: String?) -> String {
    guard let instant, let start = instant.firstIndex(of: "T") else { return padded(instant ?? "-", to: 23) }
    let time = instant[instant.index(after: start)...].prefix { $0 != "Z" && $0 != "+" }
    return padded("\(instant[..<start]) \(time)", to: 23)
}

extension FeedEntry {
    /// Why it changed nothing: in the server's words, or in ours if an older server sends none. Nil if it was applied.
    fileprivate var reason: String? {
        self["reason"]
            ?? self["outcome"].flatMap { Outcome(rawValue: $0) }?.reason(isOfContract: self["contract"] != nil)
    }
}
