import Glibc

/// A number of connections, each with one request in flight. A connection that the server closes is opened again.
final class Publishers: LoadClient {
    private struct Connection {
        var descriptor: Int32?
        var isBusy = false
        var sentAt: UInt64 = 0
        var answer: [UInt8] = []
    }

    private let target: any Target
    private var connections: [Connection]
    private var tag: UInt64 = 0
    /// The loop holds its clients and outlives them.
    private unowned let loop: LoadLoop
    private(set) var answered = 0
    /// The first answer that was an error.
    private(set) var refusal: String?
    /// The beginning of the newest answer.
    private(set) var lastAnswer = ""
    /// Called with the nanoseconds from a request to its answer.
    var onAnswer: ((UInt64) -> Void)?

    init(_ target: any Target, connections count: Int = 64, on loop: LoadLoop) {
        self.target = target
        self.loop = loop
        connections = Array(repeating: Connection(), count: count)
        tag = loop.register(self)
    }

    deinit {
        for case let descriptor? in connections.map(\.descriptor) { close(descriptor) }
    }

    var isFree: Bool { connections.contains { !$0.isBusy } }

    /// Waits until a connection is free, then sends.
    func send(_ request: [UInt8]) throws(BenchmarkError) {
        try loop.turn(until: "an answer") { isFree }
        if let refusal { throw .refused(refusal) }
        guard let index = connections.firstIndex(where: { !$0.isBusy }) else { return }
        connections[index].isBusy = true
        connections[index].sentAt = nanoseconds()
        if let descriptor = connections[index].descriptor, Sockets.send(request, to: descriptor) { return }
        hangUp(index)
        let descriptor = try Sockets.connect(port: target.port, isBlocking: true)
        connections[index] = Connection(descriptor: descriptor, isBusy: true, sentAt: nanoseconds())
        loop.poller.add(descriptor, for: .read, tag: tag | UInt64(index))
        guard Sockets.send(request, to: descriptor) else { throw .system("send", errno) }
    }

    /// Waits for every answer.
    func finish() throws(BenchmarkError) {
        try loop.turn(until: "the last answers") { !connections.contains(where: \.isBusy) }
        if let refusal { throw .refused(refusal) }
    }

    /// Waits for the answer, and returns its beginning.
    @discardableResult func ask(_ request: [UInt8]) throws(BenchmarkError) -> String {
        try send(request)
        try finish()
        return lastAnswer
    }

    func react(_ index: Int, on loop: LoadLoop) {
        guard let descriptor = connections[index].descriptor else { return }
        let received = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { connections[index].answer += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
            return count
        }
        if received > 0 { return take(index) }
        guard received == 0 || errno != EAGAIN else { return }
        if connections[index].isBusy { refusal = refusal ?? "no answer: the connection was ended" }
        hangUp(index)
    }

    private func take(_ index: Int) {
        guard let answer = HTTPAnswer(connections[index].answer) else { return }
        connections[index].answer = []
        connections[index].isBusy = false
        answered += 1
        onAnswer?(nanoseconds() - connections[index].sentAt)
        lastAnswer = answer.text
        if !(200..<400).contains(answer.status) { refusal = refusal ?? answer.text }
        if answer.endsConnection { hangUp(index) }
    }

    private func hangUp(_ index: Int) {
        if let descriptor = connections[index].descriptor { close(descriptor) }
        connections[index] = Connection()
    }
}
