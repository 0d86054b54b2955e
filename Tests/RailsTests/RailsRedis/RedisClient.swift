import TestSupport

/// Speaks RESP by hand, as somebody who has nothing to do with the library under test.
final class RedisClient {
    private let socket: RawSocket

    init(port: Int) throws(RawSocketError) {
        socket = try RawSocket(port: port)
    }

    /// The first line of the answer.
    @discardableResult
    func send(_ words: String...) throws(RawSocketError) -> String {
        try socket.send(RedisClient.command(words))
        return try socket.read(until: "\r\n")
    }

    /// Publishes all at once, in this order.
    func publish(_ payloads: [String], to channel: String) throws(RawSocketError) {
        try socket.send(payloads.map { RedisClient.command(["PUBLISH", channel, $0]) }.joined())
        for _ in payloads { _ = try socket.read(until: "\r\n") }
    }

    private static func command(_ words: [String]) -> String {
        "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }
}
