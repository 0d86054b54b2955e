internal import Glibc
internal import HTTP2
internal import Runtime

/// Connections of HTTP/2, and the requests on them.
extension FrontDoor {
    func turn(_ connection: HTTP2Connection) {
        // It may have ended in this very round.
        guard guests[connection.tag] != nil else { return }
        switch connection.turn(buffer, { handle($0, on: connection) }) {
        case .waits: break
        case .hasMore: busy.insert(connection.tag)
        case .over: end(connection)
        }
    }

    /// The client goes, and with it all its requests: their loops see it at once.
    private func end(_ connection: HTTP2Connection) {
        guard guests.removeValue(forKey: connection.tag) != nil else { return }
        if connection.isAbusive { metrics.http2Abusive.add() }
        for id in connection.open.keys { remove(id, of: connection) }
        census.leave(connection.peer)
        metrics.http2Connections.add(-1)
    }

    private func handle(_ events: [SessionEvent], on connection: HTTP2Connection) {
        for event in events {
            switch event {
            case .request(let id, let head, let isHead):
                if !open(id, head, isHead: isHead, on: connection) { connection.session.reset(id, .refused) }
            case .body(let id, let bytes):
                let count = connection.open[id].map { $0.send(bytes) } ?? bytes.count
                connection.session.consume(id, count)
            case .closed(let id): remove(id, of: connection)
            }
        }
    }

    /// Each is counted as the connection that it is to its loop, and for our end of the pair. False: there is no room.
    private func open(_ id: Int32, _ head: [UInt8], isHead: Bool, on connection: HTTP2Connection) -> Bool {
        guard !isDraining, connection.open.count < ServerSession.streamLimit else { return false }
        guard census.enter(nil) != .none else { return false }
        let place = census.enter(connection.peer)
        guard place != .none else {
            census.leave(nil)
            metrics.refused.add()
            return false
        }
        var pair: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &pair) == 0 else {
            census.leave(nil)
            census.leave(connection.peer)
            return false
        }
        let stream = HTTP2Stream(id: id, tag: nextTag(), descriptor: pair[0], head: head, isHead: isHead)
        guard port.poller.watch(pair[0], tag: stream.tag) else {
            close(pair[1])
            census.leave(nil)
            census.leave(connection.peer)
            return false
        }
        connection.add(stream)
        guests[stream.tag] = .stream(stream, of: connection)
        metrics.http2Streams.add(1)
        _ = stream.send()
        anyLoop().send(
            .adopt(Arrival(descriptor: pair[1], peer: connection.peer, place: place, taken: stream.taken))
        )
        return true
    }

    private func remove(_ id: Int32, of connection: HTTP2Connection) {
        guard let stream = connection.remove(id) else { return }
        // Of the connection's window: else what a reset upload leaves behind would be lost to all others.
        connection.session.consume(id, stream.abandon())
        guests[stream.tag] = nil
        census.leave(nil)
        metrics.http2Streams.add(-1)
    }

    func stirred(_ stream: HTTP2Stream, _ connection: HTTP2Connection) {
        let taken = stream.send()
        connection.session.consume(stream.id, taken)
        switch stream.stirred(connection.session) {
        case .nothing:
            // The client may wait for the credit of what its loop has taken at last.
            if taken > 0 { turn(connection) }
        case .ready, .resumed: turn(connection)
        case .broken:
            connection.session.reset(stream.id, .internalError)
            turn(connection)
        }
    }

    /// Once a second: whose time is up?
    func sweep() {
        let now = monotonicNanoseconds()
        guard now >= nextSweep else { return }
        nextSweep = now + 1_000_000_000
        for (tag, guest) in guests {
            switch guest {
            case .greeting(let greeting):
                if greeting.deadline <= now { leave(tag) }
            case .connection(let connection):
                guard let occupation = connection.overdue(at: now, settings.limits) else { continue }
                metrics.overdue(occupation).add()
                end(connection)
            case .stream(let stream, let connection):
                guard stream.isStalled(at: now, seconds: settings.limits.writeSeconds) else { continue }
                metrics.slow.add()
                connection.session.reset(stream.id, .cancelled)
                turn(connection)
            }
        }
    }
}
