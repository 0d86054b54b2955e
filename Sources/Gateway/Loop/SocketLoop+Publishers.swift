internal import Runtime

/// Connections of key holders after their first request.
///
/// lws changes what the kernel waits for six times at each request on a kept connection, 9 µs of the 34 that a transient
/// broadcast took. So such a connection is handed from lws' HTTP role to its raw one, and read by `RequestParser`.
extension SocketLoop {
    /// After an answer. The old role goes without a word: the descriptor has been copied, so the connection stays.
    func readWithoutLWS(_ connection: Connection) -> Verdict {
        guard let socket = adoptRaw(connection.socket.descriptor) else { return .close }
        let publisher = register(socket, peer: connection.peer, place: connection.place)
        publisher.client = connection.client
        publisher.parser = RequestParser()
        publisher.isReused = true
        watchAfterAnswer(publisher)
        // It is the same sender: what it counted for goes over.
        connection.place = .none
        connection.successor = publisher.id
        connection.phase = .closing
        connection.socket.kill()
        return .keep
    }

    /// What came behind a body before it was answered is in lws' buffer and lost to the new role: a sender that does not
    /// wait is sent away, as one without a key is.
    func closePipelined(_ connection: Connection) -> Verdict {
        if let successor = connection.successor { connections[successor]?.socket.kill() }
        return .close
    }

    func received(_ bytes: UnsafeRawBufferPointer, fromPublisher connection: Connection) -> Verdict {
        switch connection.phase {
        case .idle, .waiting, .answering: break
        // An event stream: its reader has nothing to say.
        default: return .close
        }
        guard connection.parser?.append(bytes) == true else { return .close }
        return readOn(connection)
    }

    /// Answers what has arrived whole, one request after the other.
    private func readOn(_ connection: Connection) -> Verdict {
        while case .idle = connection.phase {
            guard !connection.socket.isBehind else { return hold(connection) }
            let hadBegun = connection.isReading
            switch connection.parser?.next(gate) ?? .malformed {
            case .incomplete:
                let isIdle = connection.parser?.isEmpty == true
                connection.isReading = !isIdle
                // Not at every piece: a body that trickles in has its time from its first byte on.
                if isIdle || !hadBegun {
                    watch(connection, seconds: isIdle ? settings.limits.idleSeconds : settings.limits.bodySeconds)
                }
                return .keep
            case .malformed:
                return write(MalformedRequest.answer, on: connection, keepAlive: false, includesBody: true)
            case .refused(let response, let head):
                return write(response, on: connection, keepAlive: false, includesBody: head.method != "HEAD")
            case .request(let head, let body):
                connection.isReading = false
                guard answer(head, body, on: connection) == .keep else { return .close }
            }
        }
        return .keep
    }

    /// The kernel has not taken the last answer: nothing more is read until it has, else answers would pile up in lws, and
    /// a level-triggered poll on what waits would spin.
    func hold(_ connection: Connection) -> Verdict {
        connection.socket.stopReading()
        watchReader(connection)
        connection.socket.requestWritable()
        return .keep
    }

    /// The kernel takes bytes again. lws forgets who asked while it wrote what it had kept, so we ask again.
    func resume(_ connection: Connection) -> Verdict {
        guard !connection.socket.isBehind else {
            connection.socket.requestWritable()
            return .keep
        }
        switch connection.phase {
        case .closing: return .close
        case .idle:
            connection.socket.resumeReading()
            return readOn(connection)
        default: return .keep
        }
    }

    private func answer(_ head: RequestHead, _ body: [UInt8], on connection: Connection) -> Verdict {
        guard !head.isUpgrade else {
            return write(.ownConnection, on: connection, keepAlive: false, includesBody: true)
        }
        var request = request(head, Route(path: head.path), connection, reserving: 0)
        request.body = body
        return perform(
            handler.handle(request),
            on: connection,
            keepAlive: !head.isLast && (head.method == "POST" || head.bodyLength == .none),
            includesBody: head.method != "HEAD"
        )
    }

    /// The answer of another thread is here; what was sent behind the request waits in the parser.
    func answerPublisher(_ connection: Connection) {
        guard case .answering(let response, let keepAlive, let includesBody) = connection.phase else { return }
        let verdict = write(response, on: connection, keepAlive: keepAlive, includesBody: includesBody)
        guard verdict == .close || readOn(connection) == .close else { return }
        connection.phase = .closing
        connection.socket.requestWritable()
    }
}
