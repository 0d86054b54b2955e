import APIModel
import Domain
import HTTP
import Ledger
import Pages
import Support

/// `GET /events/{id}[?body=true]`: one event, with what made its outcome, and how long its way was.
struct EventEndpoint {
    let services: Services

    func answer(_ id: String, request: Request) -> Answer {
        guard let withBody = request.query.flag("body") else { return .respond(Response.invalidFlag("body")) }
        if withBody, let refusal = services.authorization.refusal(of: request, needing: .personal) {
            return .respond(refusal)
        }
        let cursor = Cursor(id).flatMap { $0.epoch == services.epoch ? $0 : nil }
        let name = cursor.map { EventName.position($0.position) } ?? .id(id)
        return .later { [services] reply in
            services.reader.ask({ try $0.event(name) }) { result in
                guard case .success(let found) = result else { return reply.send(.unreadable) }
                guard let found else { return reply.send(.unknownEvent) }
                guard withBody else { return show(found, withBody: false, to: reply) }
                // Nobody reads it before it is written down who does.
                let act = services.act(.read, of: request, user: found.event.entry.notice.user)
                let note = LedgerCommand.note(act) { result in
                    guard case .success = result else { return reply.send(.uncommitted) }
                    show(found, withBody: true, to: reply)
                }
                if !services.writer.submit(note) { reply.send(.busy) }
            }
        }
    }

    /// On a worker, because a body has to be read.
    private func show(_ found: EventRecord, withBody: Bool, to reply: Reply) {
        let isTaken = services.workers.submit { [services] in
            var record = found
            if withBody { record.event.body = found.stored?.body }
            let event = found.stored.flatMap { try? services.verifiers.interpret($0) }
            let timing = found.event.entry.notice.event.flatMap { services.telemetry.timings[$0] }
            let answer = EventAnswer(
                event: FeedItem(record.event, epoch: services.epoch),
                newer: record.newer.map { FeedItem($0, epoch: services.epoch) },
                statement: event?.statement.map(StatementItem.init),
                way: timing.map(EventWay.init)
            )
            reply.send(JSON.response(200, body: answer))
        }
        if !isTaken { reply.send(.busy) }
    }
}

extension Response {
    static let unknownEvent = Response.error(
        404,
        code: "unknown_event",
        message: "Nothing has this id: send a store's id of an event, or a cursor of this ledger."
    )
}

extension EventWay {
    /// An event that was there before this node began has been received here, but went no further.
    fileprivate init(_ timing: EventTimings.Timing) {
        let isWhole = timing.committed != nil
        func after(_ end: UInt64?) -> Int64? {
            end.flatMap { isWhole && $0 >= timing.received ? Int64(($0 - timing.received) / 1000) : nil }
        }
        self.init(
            verified: after(timing.verified),
            committed: after(timing.committed),
            rendered: after(timing.rendered),
            firstPage: after(timing.firstPage),
            lastPage: after(timing.lastPage),
            pages: timing.pages,
            duplicates: timing.duplicates
        )
    }
}
