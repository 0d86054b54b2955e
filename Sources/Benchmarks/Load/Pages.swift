import Glibc

/// Thousands of open pages on one thread. Counts all deliveries.
final class Pages: LoadClient {
    enum Transport: String {
        case webSocket = "WebSocket"
        case eventStream = "SSE"
        case cable = "Action Cable"
    }

    private enum Phase {
        case connecting, handshake, ready, dead
        /// Action Cable only: the page waits for the welcome (`greeted`), then for the confirmation (`subscribing`).
        case greeted, subscribing
    }

    private struct Page {
        var descriptor: Int32
        var phase: Phase
        /// The head of the answer so far, or the beginning of a marker.
        var rest: [UInt8] = []
    }

    private let target: any Target
    private let transport: Transport
    private let channel: (Int) -> Int
    /// What a channel's page opens, and lines for the head of its request, each with its line break.
    var address: (Int) -> (path: String, headers: String)
    private var pages: [Page] = []
    private var tag: UInt64 = 0
    private var refusal: String?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    private(set) var ready = 0
    private(set) var dead = 0
    /// The number of markers received.
    private(set) var deliveries = 0
    /// Called with the page's index and the bytes of each read after the page is open; for figures that need no marker.
    var onBytes: ((Int, UnsafeRawBufferPointer) -> Void)?

    init(_ target: any Target, over transport: Transport, channel: @escaping (Int) -> Int) {
        self.target = target
        self.transport = transport
        self.channel = channel
        address = { (target.path(channel: $0), "") }
    }

    deinit {
        for page in pages where page.phase != .dead { close(page.descriptor) }
        buffer.deallocate()
    }

    /// Opens `count` pages, 256 at a time, and returns when all of them are open.
    func open(_ count: Int, on loop: LoadLoop) throws(BenchmarkError) {
        tag = loop.register(self)
        while ready + dead < count {
            while pages.count < count, pages.count - ready - dead < 256 { try connect(on: loop) }
            let before = ready
            try loop.turn(until: "pages to open") { ready > before || dead > 0 }
            guard dead == 0 else { throw .refused(refusal ?? "connection lost") }
        }
    }

    func react(_ index: Int, on loop: LoadLoop) {
        switch pages[index].phase {
        case .dead: break
        case .connecting:
            pages[index].phase = .handshake
            loop.poller.change(pages[index].descriptor, for: .read, tag: tag | UInt64(index))
            if !Sockets.send(request(channel(index)), to: pages[index].descriptor) { kill(index) }
        case .handshake, .greeted, .subscribing, .ready: receive(index)
        }
    }

    private func connect(on loop: LoadLoop) throws(BenchmarkError) {
        let index = pages.count
        let descriptor = try Sockets.connect(port: target.port, source: index % 16, isBlocking: false)
        pages.append(Page(descriptor: descriptor, phase: .connecting))
        loop.poller.add(descriptor, for: [.read, .write], tag: tag | UInt64(index))
    }

    private func request(_ channel: Int) -> [UInt8] {
        let host = "127.0.0.1:\(target.port)"
        let (path, headers) = transport == .cable ? (path: "/cable", headers: "") : address(channel)
        let head = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n\(headers)"
        let upgrade = ClientFrameReader.upgrade + "\r\n"
        switch transport {
        case .webSocket: return Array((head + upgrade).utf8)
        case .cable: return Array((head + "Sec-WebSocket-Protocol: actioncable-v1-json\r\n" + upgrade).utf8)
        case .eventStream: return Array((head + "Accept: text/event-stream\r\n\r\n").utf8)
        }
    }

    private func receive(_ index: Int) {
        let count = recv(pages[index].descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { kill(index) }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        switch pages[index].phase {
        case .ready: take(bytes, of: index)
        case .greeted, .subscribing: subscribe(bytes, of: index)
        case .connecting, .handshake, .dead: takeHead(bytes, of: index)
        }
    }

    /// Handles the welcome, sends `subscribe`, and handles the confirmation. Each may arrive in a separate read or
    /// together.
    private func subscribe(_ bytes: UnsafeRawBufferPointer, of index: Int) {
        pages[index].rest += bytes
        if pages[index].phase == .greeted, pages[index].rest.firstRange(of: Array("welcome".utf8)) != nil {
            pages[index].phase = .subscribing
            let command = Array(target.subscribeCommand(channel: channel(index)).utf8)
            if !Sockets.send(ClientFrameReader.frame(1, payload: command), to: pages[index].descriptor) { kill(index) }
        }
        guard pages[index].rest.firstRange(of: Array("confirm_subscription".utf8)) != nil else { return }
        pages[index].rest = []
        pages[index].phase = .ready
        ready += 1
    }

    private func takeHead(_ bytes: UnsafeRawBufferPointer, of index: Int) {
        pages[index].rest += bytes
        guard let end = pages[index].rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        let status = transport == .eventStream ? "200" : "101"
        guard pages[index].rest.dropFirst(9).starts(with: status.utf8) else {
            refusal = String(decoding: pages[index].rest.prefix(300), as: UTF8.self)
            return kill(index)
        }
        let rest = Array(pages[index].rest[end.upperBound...])
        pages[index].rest = []
        guard transport != .cable else {
            pages[index].phase = .greeted
            return rest.withUnsafeBytes { subscribe($0, of: index) }
        }
        pages[index].phase = .ready
        ready += 1
        rest.withUnsafeBytes { take($0, of: index) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, of index: Int) {
        answerPing(bytes, of: index)
        onBytes?(index, bytes)
        let found = { (_: UInt64) in self.deliveries += 1 }
        if pages[index].rest.isEmpty {
            pages[index].rest = SendTimeMarker.scan(bytes, found: found)
        } else {
            let joined = pages[index].rest + bytes
            pages[index].rest = joined.withUnsafeBytes { SendTimeMarker.scan($0, found: found) }
        }
    }

    /// Answers a ping as a browser does (RFC 6455 §5.5.2). The ping arrives in a separate read.
    private func answerPing(_ bytes: UnsafeRawBufferPointer, of index: Int) {
        guard transport == .webSocket, bytes.count >= 2, bytes[0] == 0x89, Int(bytes[1]) <= bytes.count - 2 else {
            return
        }
        let payload = bytes[2..<(2 + Int(bytes[1]))]
        _ = Sockets.send([0x8A, 0x80 | bytes[1], 0, 0, 0, 0] + payload, to: pages[index].descriptor)
    }

    private func kill(_ index: Int) {
        if pages[index].phase == .ready { ready -= 1 }
        close(pages[index].descriptor)
        pages[index].phase = .dead
        dead += 1
    }
}
