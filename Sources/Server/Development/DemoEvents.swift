import API
import Domain
import Ledger
import Pages
import Support

/// `GET /demo/events[?since=CURSOR]`: what was committed since, oldest first, each with how long its stages took. The
/// page polls it instead of holding it open: a browser has six connections to a server for all its tabs.
struct DemoEvents: Sendable {
    private static let limit = 50

    let reader: LedgerReader
    let epoch: String
    let timings: EventTimings

    /// Blocks.
    func response(since text: String?) -> Response {
        let position: Int64
        if let cursor = text.flatMap(Cursor.init), cursor.epoch == epoch {
            position = cursor.position
        } else {
            let newest = (try? reader.answer { try $0.head() }.position) ?? 0
            position = max(0, newest - Int64(DemoEvents.limit))
        }
        let found = try? reader.answer { try $0.entries(after: position, limit: DemoEvents.limit) }
        guard let found else { return .unavailable("ledger_failed", message: "The ledger cannot be read.") }
        let lines = found.entries.map { entry in
            DemoEvents.line(entry, timing: entry.notice.event.flatMap { timings[$0] }, epoch: epoch)
        }
        return Response(status: 200, contentType: "application/json", body: "[\(lines.joined(separator: ","))]")
    }

    /// `timing` is in milliseconds since the webhook was received: `age` until now, the others until the stage ended. An
    /// entry that is read is committed, even when the writer has not yet come to say so: the page asks for it only once.
    static func line(_ entry: Entry, timing: EventTimings.Timing?, epoch: String) -> String {
        let event = String(decoding: FeedEvent.json(entry, epoch: epoch), as: UTF8.self)
        guard let timing else { return "{\"event\":\(event)}" }
        let now = monotonicNanoseconds()
        let milliseconds = { (end: UInt64) in Double(end - timing.received) / 1e6 }
        let values = [("age", now), ("verified", timing.verified), ("committed", timing.committed ?? now)]
        let members = values.map { "\"\($0)\":\(milliseconds($1))" }.joined(separator: ",")
        return "{\"event\":\(event),\"timing\":{\(members)}}"
    }
}
