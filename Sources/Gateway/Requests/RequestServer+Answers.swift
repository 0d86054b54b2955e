internal import Admission
internal import Concurrency
internal import HTTPMessages
internal import Observability
internal import Pages
internal import Sockets

/// The handler's answer: a response now or later, or a page that stays open.
extension RequestServer {
    func perform(_ answer: Answer, on connection: Connection, terms: Connection.Terms) {
        switch answer {
        case .respond(let response): responses.write(response, on: connection, terms: terms)
        case .later(let start):
            connection.phase = .waiting(terms)
            deadlines.clear(for: connection)
            let reply = Reply { [port = loop.port, id = connection.id] response in port.send(.reply(id, response)) }
            guard !start(reply) else { return }
            let refusal = Connection.Terms(keepAlive: false, includesBody: terms.includesBody, lingers: true)
            responses.write(.busy, on: connection, terms: refusal)
        case .broadcast(let messages, let response):
            writer.broadcast(messages)
            responses.write(response, on: connection, terms: terms)
        case .open(let page):
            guard connection.admission == .accept, loop.acceptor.isListening else {
                loop.metrics.turnedAway.add()
                let retry = EventStream.turnedAway(allowedOrigin: page.allowedOrigin)
                return responses.write(retry, on: connection, terms: terms)
            }
            deadlines.clear(for: connection)
            pages.openEventStream(page, on: connection)
        case .openCable: responses.write(.notFound, on: connection, terms: terms)
        }
    }

    /// Another thread has answered. Bytes that followed the request wait in the input.
    func reply(_ response: Response, to connection: Connection) {
        guard case .waiting(let terms) = connection.phase else { return }
        responses.write(response, on: connection, terms: terms)
        readRequests(connection)
    }
}
