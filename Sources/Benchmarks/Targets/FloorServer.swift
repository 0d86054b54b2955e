import Glibc

/// The work that no server can avoid, and nothing else: accept, a fixed upgrade, and one `send` for each subscriber of
/// a channel. No keys, no checks, no history, no queue. It runs in its own process.
struct FloorServer {
    private let poller = Poller()
    private let listener: Int32
    private var channels: [[Int32]] = Array(repeating: [], count: 20_000)
    private var rests: [Int32: [UInt8]] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var frame: [UInt8] = []

    /// Serves until it is killed.
    static func run() throws(BenchmarkError) -> Never {
        let (listener, port) = try Sockets.listen()
        var floor = FloorServer(listener: listener)
        print("floor listening on http://127.0.0.1:\(port)")
        fflush(nil)
        floor.serve()
    }

    private init(listener: Int32) {
        self.listener = listener
        poller.add(listener, for: .read, tag: UInt64(listener))
    }

    private mutating func serve() -> Never {
        var ready: [Int32] = []
        while true {
            poller.wait(milliseconds: -1) { ready.append(Int32($0)) }
            for descriptor in ready { if descriptor == listener { accept() } else { receive(descriptor) } }
            ready.removeAll(keepingCapacity: true)
        }
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            Sockets.setNonBlocking(descriptor)
            Sockets.disableDelay(descriptor)
            poller.add(descriptor, for: .read, tag: UInt64(descriptor))
        }
    }

    private mutating func receive(_ descriptor: Int32) {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { close(descriptor) }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let rest = rests.removeValue(forKey: descriptor) {
            let joined = rest + bytes
            joined.withUnsafeBytes { take($0, from: descriptor) }
        } else {
            take(bytes, from: descriptor)
        }
    }

    /// `GET /pages/N` opens a page; `POST /pages/N` sends its body to all pages of that channel.
    private mutating func take(_ bytes: UnsafeRawBufferPointer, from descriptor: Int32) {
        guard let end = endOfHead(bytes), let channel = number(bytes, after: "/pages/") else {
            rests[descriptor] = Array(bytes)
            return
        }
        guard bytes[0] == UInt8(ascii: "P") else {
            channels[channel].append(descriptor)
            return reply(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                to: descriptor
            )
        }
        let length = number(bytes, after: "Content-Length: ") ?? 0
        guard bytes.count >= end + length else {
            rests[descriptor] = Array(bytes)
            return
        }
        broadcast(UnsafeRawBufferPointer(rebasing: bytes[end..<(end + length)]), on: channel)
        reply("HTTP/1.1 204 No Content\r\n\r\n", to: descriptor)
    }

    private mutating func broadcast(_ body: UnsafeRawBufferPointer, on channel: Int) {
        frame.removeAll(keepingCapacity: true)
        frame.append(0x81)
        if body.count < 126 {
            frame.append(UInt8(body.count))
        } else {
            frame += [126, UInt8(body.count >> 8), UInt8(body.count & 255)]
        }
        frame += body
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        frame.withUnsafeBytes { frame in
            for descriptor in channels[channel] { send(descriptor, frame.baseAddress, frame.count, flags) }
        }
    }

    private func reply(_ text: StaticString, to descriptor: Int32) {
        send(descriptor, text.utf8Start, text.utf8CodeUnitCount, Int32(MSG_NOSIGNAL))
    }

    private func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        index(of: "\r\n\r\n", in: bytes).map { $0 + 4 }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, after label: StaticString) -> Int? {
        guard let start = index(of: label, in: bytes) else { return nil }
        var value = 0
        for digit in bytes[(start + label.utf8CodeUnitCount)...] {
            guard (48...57).contains(digit), value < 1_000_000 else { break }
            value = value * 10 + Int(digit - 48)
        }
        return value
    }

    private func index(of label: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let count = label.utf8CodeUnitCount
        var start = 0
        while bytes.count - start >= count,
            let hit = memchr(base + start, Int32(label.utf8Start.pointee), bytes.count - start - count + 1)
        {
            start = UnsafeRawPointer(hit) - base
            if memcmp(hit, label.utf8Start, count) == 0 { return start }
            start += 1
        }
        return nil
    }
}

/// The floor, in a child process of this program.
struct FloorServerTarget: Target {
    let process: ChildProcess

    init(in folder: String) throws(BenchmarkError) {
        process = try ChildProcess([Paths.programs + "/Benchmarks", "--floor"], in: folder)
    }

    var port: Int { process.port }

    func path(channel: Int) -> String { "/pages/\(channel)" }

    /// The floor speaks no Action Cable.
    func subscribeCommand(channel: Int) -> String { "" }

    func broadcast(_ html: String, channel: Int) -> [UInt8] {
        request("POST", "/pages/\(channel)", body: Array(html.utf8))
    }
}
