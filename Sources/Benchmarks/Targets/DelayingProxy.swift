import Glibc

/// Forwards TCP connections, each byte a fixed time later: a network with that delay and unlimited bandwidth. It runs
/// in its own process, whose `rchar` counts the bytes of both directions.
struct DelayingProxy {
    private struct DelayedBytes {
        let due: UInt64
        /// Empty if the sender has closed the connection.
        let bytes: [UInt8]
    }

    private struct Flow {
        let source: Int32
        let target: Int32
        var waiting: [DelayedBytes] = []
    }

    private let listener: Int32
    private let target: Int
    private let delay: UInt64
    private var flows: [Flow] = []
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Serves until it is killed: `arguments` are the target's port, and the delay in microseconds.
    static func run(_ arguments: [Int]) throws(BenchmarkError) -> Never {
        let (listener, port) = try Sockets.listen()
        var proxy = DelayingProxy(listener: listener, target: arguments[0], delay: UInt64(arguments[1]) * 1000)
        print("proxy listening on 127.0.0.1:\(port)")
        fflush(nil)
        proxy.serve()
    }

    private init(listener: Int32, target: Int, delay: UInt64) {
        self.listener = listener
        self.target = target
        self.delay = delay
    }

    private mutating func serve() -> Never {
        while true {
            var requests = flows.map { pollfd(fd: $0.source, events: Int16(POLLIN), revents: 0) }
            requests.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
            wait(&requests)
            for index in flows.indices where requests[index].revents != 0 { receive(index) }
            if requests[flows.count].revents != 0 { accept() }
            deliver()
        }
    }

    /// A timeout of `poll` is in whole milliseconds, so this sleeps 100 µs at a time while bytes are under way.
    private func wait(_ requests: inout [pollfd]) {
        guard let due = flows.compactMap(\.waiting.first?.due).min() else {
            poll(&requests, nfds_t(requests.count), -1)
            return
        }
        let now = nanoseconds()
        if due > now { usleep(UInt32(min(100, (due - now) / 1000))) }
        poll(&requests, nfds_t(requests.count), 0)
    }

    private mutating func accept() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0, let server = try? Sockets.connect(port: target, isBlocking: true) else { return }
        Sockets.setNonBlocking(client)
        Sockets.disableDelay(client)
        flows.append(Flow(source: client, target: server))
        flows.append(Flow(source: server, target: client))
    }

    private mutating func receive(_ index: Int) {
        // The end has been read, and is under way.
        if flows[index].waiting.last?.bytes.isEmpty == true { return }
        let count = read(flows[index].source, &buffer, buffer.count)
        guard count > 0 || errno != EAGAIN else { return }
        flows[index].waiting.append(
            DelayedBytes(due: nanoseconds() + delay, bytes: Array(buffer.prefix(max(0, count))))
        )
    }

    private mutating func deliver() {
        let now = nanoseconds()
        var ended: Set<Int32> = []
        for index in flows.indices {
            let due = flows[index].waiting.prefix { $0.due <= now }
            for piece in due where piece.bytes.isEmpty || !Sockets.send(piece.bytes, to: flows[index].target) {
                ended.formUnion([flows[index].source, flows[index].target])
            }
            flows[index].waiting.removeFirst(due.count)
        }
        flows.removeAll { ended.contains($0.source) }
        for descriptor in ended { close(descriptor) }
    }
}

/// The proxy, in a child process of this program.
struct DelayedPort {
    let process: ChildProcess

    init(to port: Int, microseconds: Int, in folder: String) throws(BenchmarkError) {
        process = try ChildProcess(
            [Paths.programs + "/Benchmarks", "--delay", "\(port)", "\(microseconds)"],
            in: folder
        )
    }

    var port: Int { process.port }

    /// The bytes that were forwarded, in both directions.
    var bytes: Double {
        let line = text(of: "/proc/\(process.id)/io").split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? 0
    }
}
