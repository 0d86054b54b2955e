import HTTP2
import Testing

@Suite struct ClientHelloTests {
    private static func list(_ bytes: [UInt8], lengthBytes: Int) -> [UInt8] {
        (0..<lengthBytes).reversed().map { UInt8(bytes.count >> ($0 * 8) & 255) } + bytes
    }

    static func names(_ names: [String]) -> [UInt8] {
        list(names.flatMap { list(Array($0.utf8), lengthBytes: 1) }, lengthBytes: 2)
    }

    /// As TLS 1.3 sends it, with `extensions` in this order.
    static func hello(_ extensions: [(kind: UInt8, content: [UInt8])]) -> [UInt8] {
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + list([UInt8](repeating: 9, count: 32), lengthBytes: 1)
            + list([0x13, 0x01], lengthBytes: 2) + list([0], lengthBytes: 1)
            + list(extensions.flatMap { [0, $0.kind] + list($0.content, lengthBytes: 2) }, lengthBytes: 2)
        return [0x16, 3, 1] + list([1] + list(body, lengthBytes: 3), lengthBytes: 2)
    }

    static func offering(_ names: [String]) -> [UInt8] {
        hello([(10, [0, 2, 0, 29]), (16, ClientHelloTests.names(names)), (43, [2, 3, 4])])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var verdict: ClientHello.Verdict
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "HTTP/2 alone", bytes: offering(["h2"]), verdict: .offersHTTP2),
        Case(name: "a browser", bytes: offering(["h2", "http/1.1"]), verdict: .offersHTTP2),
        Case(name: "HTTP/2 last", bytes: offering(["http/1.1", "h2"]), verdict: .offersHTTP2),
        Case(name: "bytes behind it", bytes: offering(["h2"]) + [23, 3, 3], verdict: .offersHTTP2),
        Case(name: "a WebSocket", bytes: offering(["http/1.1"]), verdict: .other),
        Case(name: "names that begin alike", bytes: offering(["h2c", "h", "", "H2"]), verdict: .other),
        Case(name: "no names", bytes: offering([]), verdict: .other),
        Case(name: "no ALPN", bytes: hello([(10, [0, 2, 0, 29])]), verdict: .other),
        Case(name: "no extensions", bytes: hello([]), verdict: .other),
        Case(name: "names longer than their list", bytes: hello([(16, [0, 9, 2, 104, 50])]), verdict: .other),
        Case(name: "name longer than the list", bytes: hello([(16, [0, 3, 9, 104, 50])]), verdict: .other),
        Case(name: "HTTP in the clear", bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8), verdict: .other),
        Case(name: "alert", bytes: [0x15, 3, 3, 0, 2, 1, 0], verdict: .other),
        Case(name: "record without content", bytes: [0x16, 3, 1, 0, 0], verdict: .other),
        Case(name: "record too long", bytes: [0x16, 3, 1, 0x40, 1], verdict: .other),
        Case(name: "another message", bytes: [0x16, 3, 1, 0, 4, 2, 0, 0, 0], verdict: .other),
        Case(name: "hello in two records", bytes: [0x16, 3, 1, 0, 5, 1, 0, 0, 9, 3], verdict: .other),
        Case(name: "nothing", bytes: [], verdict: .incomplete),
    ]

    @Test(arguments: cases) func judges(_ one: Case) {
        #expect(ClientHello.judge(one.bytes) == one.verdict)
    }

    /// It arrives in any pieces; of a lie about a length only the verdict may differ.
    @Test(arguments: [offering(["h2"]), offering(["http/1.1"])]) func everyPrefixIsIncomplete(_ bytes: [UInt8]) {
        for count in bytes.indices { #expect(ClientHello.judge(bytes[..<count]) == .incomplete) }
    }

    @Test func survivesEveryChangedByte() {
        let bytes = ClientHelloTests.offering(["h2", "http/1.1"])
        for index in bytes.indices {
            for value in [0, 1, 127, 255] as [UInt8] {
                var changed = bytes
                changed[index] = value
                _ = ClientHello.judge(changed)
            }
        }
    }
}
