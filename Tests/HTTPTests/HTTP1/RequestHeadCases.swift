import HTTP
import Testing

/// Heads that are accepted.
extension RequestHeadTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var method = "GET"
        var path = "/"
        var host: String? = "pay.example"
        var isHTTP10 = false
        var testDescription: String { name }

        init(
            _ name: String,
            line: String,
            fields: [String] = ["Host: pay.example"],
            method: String = "GET",
            path: String = "/",
            host: String? = "pay.example",
            isHTTP10: Bool = false
        ) {
            self.name = name
            self.text = ([line] + fields + ["", ""]).joined(separator: "\r\n")
            self.method = method
            self.path = path
            self.host = host
            self.isHTTP10 = isHTTP10
        }
    }

    static let cases = [
        Case("the smallest", line: "GET / HTTP/1.1"),
        Case(
            "a method of any characters that tokens have",
            line: "!#$%&'*+-.^_`|~aZ9 / HTTP/1.1",
            method: "!#$%&'*+-.^_`|~aZ9"
        ),
        Case("methods are told apart by case", line: "get / HTTP/1.1", method: "get"),
        Case(
            "the longest method",
            line: "\(String(repeating: "M", count: 32)) / HTTP/1.1",
            method: String(repeating: "M", count: 32)
        ),
        Case("path with its query cut off", line: "GET /streams?name=/a?b HTTP/1.1", path: "/streams"),
        Case("escapes", line: "GET /a%20b%2Fc%c3%A9 HTTP/1.1", path: "/a b/cé"),
        Case("plus in a path is a plus", line: "GET /a+b HTTP/1.1", path: "/a+b"),
        Case("two slashes stay two", line: "GET //a//b HTTP/1.1", path: "//a//b"),
        Case("dots that are no parent", line: "GET /./...?../.. HTTP/1.1", path: "/./..."),
        Case("dots within a name", line: "GET /a..b/..c/d.. HTTP/1.1", path: "/a..b/..c/d.."),
        Case("any other visible character", line: "GET /\"<>[\\]^`{|}:@ HTTP/1.1", path: "/\"<>[\\]^`{|}:@"),
        Case("absolute form", line: "GET http://pay.example/a?b HTTP/1.1", path: "/a"),
        Case("absolute form over TLS", line: "GET https://pay.example/a HTTP/1.1", path: "/a"),
        Case("absolute form in capitals", line: "GET HTTPS://Pay.Example/a HTTP/1.1", path: "/a", host: "Pay.Example"),
        Case("absolute form without a path", line: "GET http://pay.example HTTP/1.1"),
        Case("absolute form beats another Host", line: "GET http://a:81/ HTTP/1.1", fields: ["Host: b"], host: "a:81"),
        Case("absolute form in HTTP/1.0", line: "GET http://a/ HTTP/1.0", fields: [], host: "a", isHTTP10: true),
        Case("OPTIONS about everything", line: "OPTIONS * HTTP/1.1", method: "OPTIONS", path: "*"),
        Case("OPTIONS about one thing", line: "OPTIONS /a HTTP/1.1", method: "OPTIONS", path: "/a"),
        Case(
            "CONNECT",
            line: "CONNECT pay.example:443 HTTP/1.1",
            method: "CONNECT",
            path: "*",
            host: "pay.example:443"
        ),
        Case("HTTP/1.0 without Host", line: "GET / HTTP/1.0", fields: [], host: nil, isHTTP10: true),
        Case("HTTP/1.0 with Host", line: "GET / HTTP/1.0", isHTTP10: true),
        Case("port", line: "GET / HTTP/1.1", fields: ["Host: pay.example:8443"], host: "pay.example:8443"),
        Case("port that is empty", line: "GET / HTTP/1.1", fields: ["Host: pay.example:"], host: "pay.example:"),
        Case("IPv4", line: "GET / HTTP/1.1", fields: ["Host: 127.0.0.1:80"], host: "127.0.0.1:80"),
        Case("IPv6", line: "GET / HTTP/1.1", fields: ["Host: [2001:DB8::7]"], host: "[2001:DB8::7]"),
        Case(
            "IPv6 with a port",
            line: "GET / HTTP/1.1",
            fields: ["Host: [::ffff:127.0.0.1]:80"],
            host: "[::ffff:127.0.0.1]:80"
        ),
        Case("the root's dot", line: "GET / HTTP/1.1", fields: ["Host: pay.example.:80"], host: "pay.example.:80"),
        Case(
            "underscores, as containers have them",
            line: "GET / HTTP/1.1",
            fields: ["Host: my_web-1"],
            host: "my_web-1"
        ),
        Case(
            "names without case, values without space",
            line: "GET / HTTP/1.1",
            fields: ["hOST:  pay.example  ", "X:\t a \t"]
        ),
        Case("no space behind a colon", line: "GET / HTTP/1.1", fields: ["Host:pay.example"]),
        Case(
            "names of any token characters",
            line: "GET / HTTP/1.1",
            fields: ["Host: pay.example", "!#$%&'*+-.^_`|~aZ9: a"]
        ),
        Case("an empty value", line: "GET / HTTP/1.1", fields: ["X-A:", "Host: pay.example", "X-B: \t "]),
        Case("colons in a value", line: "GET / HTTP/1.1", fields: ["Host: pay.example", "X-A: Host: b"]),
        Case(
            "bytes beyond ASCII in a value",
            line: "GET / HTTP/1.1",
            fields: ["Host: pay.example", "X-A: \u{80}é\u{1F600}"]
        ),
        Case(
            "a header that is not looked at may repeat",
            line: "GET / HTTP/1.1",
            fields: ["X: 1", "Host: pay.example", "X: 2"]
        ),
        Case(
            "100 headers",
            line: "GET / HTTP/1.1",
            fields: (1..<100).map { "X-\($0): a" } + ["Host: pay.example"]
        ),
        Case(
            "the longest line",
            line: "GET /\(String(repeating: "a", count: 8192 - 14)) HTTP/1.1",
            path: "/" + String(repeating: "a", count: 8192 - 14)
        ),
        Case(
            "the longest head",
            line: "GET / HTTP/1.1",
            fields: [
                "Host: pay.example", "X: " + String(repeating: "a", count: RequestHead.sizeLimit - 16 - 19 - 3 - 2 - 2),
            ]
        ),
    ]
}
