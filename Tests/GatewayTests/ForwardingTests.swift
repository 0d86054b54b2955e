import Gateway
import HTTP
import TestSupport
import Testing

/// What a request's forwarding headers do on a real connection; it comes from 127.0.0.1.
@Suite(.blocking) struct ForwardingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var headers: [String]
        /// `/ready`'s view: local or not, scheme, host.
        var trusted: String
        var untrusted: String
        var testDescription: String { headers.isEmpty ? "none" : headers.joined(separator: " | ") }
    }

    static let cases = [
        Case(headers: [], trusted: "local - x", untrusted: "local - x"),
        Case(headers: ["X-Forwarded-For: 203.0.113.7"], trusted: "remote - x", untrusted: "remote - x"),
        Case(headers: ["X-Forwarded-For: 127.0.0.1"], trusted: "local - x", untrusted: "remote - x"),
        Case(
            headers: ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 203.0.113.7"],
            trusted: "remote - x",
            untrusted: "remote - x"
        ),
        Case(
            headers: ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 127.0.0.1"],
            trusted: "remote - x",
            untrusted: "remote - x"
        ),
        Case(headers: ["X-Forwarded-For: nonsense"], trusted: "remote - x", untrusted: "remote - x"),
        Case(
            headers: ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: pay.example"],
            trusted: "remote https pay.example",
            untrusted: "remote - x"
        ),
        Case(headers: ["X-Forwarded-Proto: https"], trusted: "remote https x", untrusted: "remote - x"),
        Case(headers: ["x-forwarded-host: pay.example"], trusted: "remote - pay.example", untrusted: "remote - x"),
        Case(headers: ["Forwarded: for=203.0.113.7"], trusted: "remote - x", untrusted: "remote - x"),
        Case(headers: ["Via: 1.1 proxy"], trusted: "remote - x", untrusted: "remote - x"),
        Case(headers: ["X-Real-IP: 203.0.113.7"], trusted: "remote - x", untrusted: "remote - x"),
    ]

    @Test(arguments: cases) func countsFromListedProxiesOnly(_ example: Case) throws {
        let request =
            "GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            + example.headers.map { $0 + "\r\n" }.joined() + "\r\n"
        for (proxies, expected) in [(try localProxy(), example.trusted), ([], example.untrusted)] {
            let socket = try ScriptedGateway(proxies: proxies)
            #expect(try socket.exchange([request]).hasSuffix("\r\n\r\n\(expected)\n"))
        }
    }
}
