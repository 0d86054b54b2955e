import APIModel
import HTTPClient

/// Reads the event stream of one page.
struct EventReader {
    /// The origin of the page; nil for a page of the server itself.
    let page: String?
    private var failure: PageFailure?
    /// Whether the handler has had enough.
    private(set) var wasStopped = false

    private var parser = EventStreamParser()
    private var isOpen = false
    private var refusal: (status: Int, body: [UInt8])?
    private let start = ContinuousClock.now

    init(page: String?) {
        self.page = page
    }

    mutating func answered(_ head: HTTPClient.Response) {
        let isEventStream = head.header("Content-Type")?.lowercased().hasPrefix("text/event-stream") == true
        guard head.status == 200, isEventStream else { return refusal = (head.status, []) }
        guard let page, ![page, "*"].contains(head.header("Access-Control-Allow-Origin") ?? "") else { return }
        failure = PageFailure(.foreignOrigin, "browsers keep the answer from pages of \(page)")
    }

    /// Returns false when nothing more should be read.
    mutating func received(_ bytes: UnsafeRawBufferPointer, _ handle: (PageConnection.Event) -> Bool) -> Bool {
        guard failure == nil else { return false }
        if refusal != nil {
            refusal?.body += bytes.prefix(4096)
            if (refusal?.body.count ?? 0) < 4096 { return true }
            return refused()
        }
        let events = parser.receive(bytes)
        // The first block is an id alone.
        if !isOpen, !events.isEmpty || !parser.lastEventID.isEmpty {
            isOpen = true
            tell(.opened, handle)
        }
        for event in events where event.type == "message" {
            // A message that is in no ledger has no cursor.
            tell(.message(html: event.data, cursor: event.hasOwnID && !event.id.isEmpty ? event.id : nil), handle)
        }
        if !parser.lastEventID.isEmpty { tell(.position(parser.lastEventID), handle) }
        if parser.hasOverflowed {
            failure = PageFailure(.answer(200, code: nil), "an event is larger than 4 MiB: is that a Paycast server?")
        }
        return failure == nil && !wasStopped
    }

    mutating func ticked(_ handle: (PageConnection.Event) -> Bool) -> Bool {
        if refusal != nil, start.duration(to: .now) > PageConnection.openingTime { return refused() }
        if failure == nil { tell(.tick, handle) }
        return failure == nil && !wasStopped
    }

    /// The connection has ended. Nil if the server has not refused it.
    mutating func ended() -> PageFailure? {
        if refusal != nil, failure == nil { _ = refused() }
        return failure
    }

    private mutating func tell(_ event: PageConnection.Event, _ handle: (PageConnection.Event) -> Bool) {
        if !wasStopped { wasStopped = !handle(event) }
    }

    private mutating func refused() -> Bool {
        guard let refusal else { return false }
        let answer = JSON.decode(ErrorAnswer.self, from: refusal.body)
        let words = answer.map { " (\($0.error)): \($0.message)" } ?? " and no event stream"
        failure = PageFailure(
            .answer(refusal.status, code: answer?.error),
            "the server answers \(refusal.status)\(words)",
            mayPass: refusal.status == 429 || refusal.status >= 500
        )
        return false
    }
}
