import Glibc

/// Thousands of pages on one thread, each with a stock client, a socket, and the state that it shows.
final class StockPages: LoadClient {
    private enum Phase {
        case away, connecting, handshake, open
    }

    private struct Page {
        var client: any StockClient
        let channel: Int
        var state: PageState
        var descriptor: Int32 = -1
        var phase = Phase.away
        var head: [UInt8] = []
        /// Until then, no connection can be opened.
        var networkBackAt: UInt64 = 0
    }

    /// The port to which pages connect; changes when a load balancer sends them elsewhere.
    var port: Int
    /// The loop holds its clients and outlives them.
    private unowned let loop: LoadLoop
    private var tag: UInt64 = 0
    private var pages: [Page] = []
    private var wakes: [UInt64] = []
    /// Bytes per second of the pages that read slowly.
    private var paces: [Int: Int] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var nextLook: UInt64 = 0
    /// The first page that went back from a newer state to an older one.
    private(set) var regression: String?
    /// Pages that were told to reload.
    private(set) var refreshes = 0
    var onChange: ((Int, PageState.Change, UInt64) -> Void)?
    var onSubscribed: ((Int, UInt64) -> Void)?

    init(port: Int, on loop: LoadLoop) {
        self.port = port
        self.loop = loop
        tag = loop.register(self)
    }

    deinit {
        for page in pages where page.descriptor >= 0 { close(page.descriptor) }
        buffer.deallocate()
    }

    var count: Int { pages.count }
    func channel(_ index: Int) -> Int { pages[index].channel }
    func state(_ index: Int) -> PageState { pages[index].state }
    func name(_ index: Int) -> String { "page \(index) (\(pages[index].client.name))" }

    func add(_ client: any StockClient, channel: Int, version: Int) {
        pages.append(Page(client: client, channel: channel, state: PageState(version: version)))
        wakes.append(client.wakeAt)
    }

    /// Turns the loop and the pages' timers until `condition` holds.
    func turn(until what: String, timeout: Duration = .seconds(60), condition: () -> Bool) throws(BenchmarkError) {
        let start = ContinuousClock.now
        while !condition() {
            turn()
            if let regression { throw .hole(regression) }
            guard ContinuousClock.now - start < timeout else { throw .timedOut(waitingFor: what) }
        }
    }

    func turn() {
        loop.turn(milliseconds: 5)
        let now = nanoseconds()
        guard now >= nextLook else { return }
        nextLook = now + 10 * millisecond
        for (index, pace) in paces where pace > 0 && pages[index].descriptor >= 0 { receive(index, upTo: pace / 100) }
        for index in wakes.indices where wakes[index] <= now {
            var actions: [StockAction] = []
            pages[index].client.wake(now: now, into: &actions)
            perform(actions, of: index, at: now)
        }
    }

    func react(_ index: Int, on loop: LoadLoop) {
        switch pages[index].phase {
        case .away: break
        case .connecting: sendRequest(index)
        case .handshake, .open: receive(index)
        }
    }

    // MARK: What happens to a page

    /// Resets the socket; the network is gone until `back`.
    func cut(_ index: Int, until back: UInt64, now: UInt64) {
        pages[index].networkBackAt = back
        // Without a socket, the client notices nothing.
        if pages[index].descriptor >= 0 { lose(index, at: now, end: Sockets.reset) }
    }

    /// From now on, reads only this much; nil reads whatever comes.
    func slow(_ index: Int, bytesPerSecond: Int?) {
        paces[index] = bytesPerSecond
        let descriptor = pages[index].descriptor
        guard descriptor >= 0 else { return }
        let isSlow = bytesPerSecond != nil
        // Through the small window alone, the kernel would need a minute for what it has queued.
        Sockets.setReceiveBuffer(descriptor, bytes: isSlow ? 4 << 10 : 1 << 20)
        guard isSlow else { return loop.poller.add(descriptor, for: .read, tag: tag | UInt64(index)) }
        loop.poller.remove(descriptor)
    }

    // MARK: Sockets

    private func connect(_ index: Int, at now: UInt64) {
        let source = index % 16
        guard now >= pages[index].networkBackAt,
            let descriptor = try? Sockets.connect(port: port, source: source, isBlocking: false)
        else { return lose(index, at: now) { _ in } }
        pages[index].descriptor = descriptor
        pages[index].phase = .connecting
        pages[index].head = []
        loop.poller.add(descriptor, for: [.read, .write], tag: tag | UInt64(index))
    }

    private func sendRequest(_ index: Int) {
        let descriptor = pages[index].descriptor
        pages[index].phase = .handshake
        loop.poller.change(descriptor, for: .read, tag: tag | UInt64(index))
        let host = "127.0.0.1:\(port)"
        let request = "\(pages[index].client.request())Host: \(host)\r\nOrigin: http://\(host)\r\n\r\n"
        if !Sockets.send(Array(request.utf8), to: descriptor) { lose(index, at: nanoseconds()) { close($0) } }
    }

    private func receive(_ index: Int, upTo limit: Int = 64 << 10) {
        let count = recv(pages[index].descriptor, buffer.baseAddress, limit, 0)
        let now = nanoseconds()
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { lose(index, at: now) { close($0) } }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        var actions: [StockAction] = []
        if pages[index].phase == .open {
            pages[index].client.received(bytes, now: now, into: &actions)
            return perform(actions, of: index, at: now)
        }
        pages[index].head += bytes
        guard let end = pages[index].head.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return }
        let head = pages[index].head
        pages[index].phase = .open
        let status = Int(String(decoding: head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
        pages[index].client.answered(status: status, now: now, into: &actions)
        if end < head.count {
            head[end...].withUnsafeBytes { pages[index].client.received($0, now: now, into: &actions) }
        }
        perform(actions, of: index, at: now)
    }

    private func lose(_ index: Int, at now: UInt64, end: (Int32) -> Void) {
        if pages[index].descriptor >= 0 { end(pages[index].descriptor) }
        pages[index].descriptor = -1
        pages[index].phase = .away
        pages[index].client.closed(now: now)
        wakes[index] = pages[index].client.wakeAt
    }

    private func perform(_ actions: [StockAction], of index: Int, at now: UInt64) {
        for action in actions {
            switch action {
            case .connect: connect(index, at: now)
            case .close: lose(index, at: now) { Glibc.close($0) }
            case .send(let bytes):
                let descriptor = pages[index].descriptor
                if descriptor >= 0, !Sockets.send(bytes, to: descriptor) { lose(index, at: now) { Glibc.close($0) } }
            case .apply(let html): apply(html, to: index, at: now)
            case .subscribed: onSubscribed?(index, now)
            case .become(let client): pages[index].client = client
            }
        }
        wakes[index] = pages[index].client.wakeAt
    }

    private func apply(_ html: [UInt8], to index: Int, at now: UInt64) {
        let changes = pages[index].state.apply(html)
        if changes.isEmpty { refreshes += 1 }
        for change in changes {
            if change.new < change.old {
                regression =
                    regression
                    ?? "\(name(index)) applied version \(change.new) of target \(change.target) after \(change.old)"
            }
            onChange?(index, change, now)
        }
    }
}
