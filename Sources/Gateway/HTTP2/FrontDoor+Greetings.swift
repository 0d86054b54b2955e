internal import Glibc
internal import HTTP2
internal import Runtime

/// From `accept` to the ClientHello, which decides who serves a connection.
extension FrontDoor {
    /// 64 at a time, so that the others get their turn.
    func accept() {
        for _ in 0..<64 {
            guard isListening, let (descriptor, peer) = listener.accept(sparing: &spareDescriptor) else { return }
            let place = census.enter(peer)
            guard place != .none else {
                metrics.refused.add()
                close(descriptor)
                continue
            }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let seconds = Patience.seconds(.shaking, settings.limits) ?? 0
            let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
            let greeting = Greeting(descriptor: descriptor, peer: peer, place: place, deadline: deadline)
            let tag = nextTag()
            guests[tag] = .greeting(greeting)
            guard port.poller.watch(descriptor, tag: tag) else {
                leave(tag)
                continue
            }
        }
    }

    /// Looks at what has come without taking it: whoever serves the connection reads it again.
    func look(at greeting: Greeting, _ tag: UInt64) {
        let limit = min(buffer.count, ClientHello.longest)
        let count = recv(greeting.descriptor, buffer.baseAddress, limit, Int32(MSG_PEEK))
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { leave(tag) }
            return
        }
        switch ClientHello.judge(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) {
        case .incomplete where count < limit: break
        case .incomplete, .other:
            guests[tag] = nil
            port.poller.forget(greeting.descriptor)
            anyLoop().send(
                .adopt(Arrival(descriptor: greeting.descriptor, peer: greeting.peer, place: greeting.place))
            )
        case .offersHTTP2: welcome(greeting, tag)
        }
    }

    private func welcome(_ greeting: Greeting, _ tag: UInt64) {
        guard let channel = TLSChannel(context.pointer, descriptor: greeting.descriptor) else { return leave(tag) }
        guard let connection = HTTP2Connection(tag: tag, peer: greeting.peer, channel: channel) else {
            guests[tag] = nil
            return census.leave(greeting.peer)
        }
        // The kernel gives it up when nothing that was sent has been acknowledged for so long (tcp(7)).
        var milliseconds = LoopSettings.deadPeerSeconds * 1000
        setsockopt(greeting.descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
        guests[tag] = .connection(connection)
        metrics.http2Connections.add(1)
        turn(connection)
    }

    func leave(_ tag: UInt64) {
        guard case .greeting(let greeting) = guests.removeValue(forKey: tag) else { return }
        // Closed with bytes that nobody has read, the kernel would send a reset.
        _ = recv(greeting.descriptor, buffer.baseAddress, buffer.count, 0)
        close(greeting.descriptor)
        census.leave(greeting.peer)
    }
}
