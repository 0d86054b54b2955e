import Domain
import TestSupport
import Testing

@testable import Gateway

@Suite(.timeLimit(.minutes(10))) struct RequestTests {
    @Test func severalBodiesFollowEachOtherOnOneConnection() throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        for size in [5, 0, 70_000] {
            let body = String(repeating: "x", count: size)
            try socket.send(
                "POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n"
            )
            try socket.send(body)
            #expect(try socket.read(until: "bytes\n").contains("\(size) bytes"))
        }
    }

    @Test func bodyInPiecesArrivesWhole() throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        let request = "POST /orders HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\nContent-Length: 5\r\n\r\nhello"
        for piece in [request.prefix(8), request.dropFirst(8).prefix(40), request.dropFirst(48)].map(String.init) {
            try socket.send(piece)
        }
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).contains("5 bytes"))
    }

    @Test func headIsAnsweredWithoutABody() throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        try socket.send("HEAD /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).hasSuffix("\r\n\r\n"))
    }

    /// HTTP clients of Java offer HTTP/2 in clear text with their first request, `curl --http2` with every one.
    @Test func offerOfAnotherProtocolIsIgnored() throws {
        let offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
        let server = try ScriptedGateway()
        let socket = try server.connect()
        for body in ["first", "second"] {
            try socket.send(
                "POST /broadcasts HTTP/1.1\r\nHost: x\r\n\(offer)"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            #expect(try socket.read(until: "bytes\n").contains("\(body.utf8.count) bytes"))
        }
        let page = try server.connect()
        try page.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\(offer)\r\n")
        #expect(try page.read(until: "id: test-7\n\n").hasPrefix("HTTP/1.1 200"))
    }

    @Test func pipelinedGetsAreAnsweredInOrder() throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        try socket.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try socket.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
        #expect(try socket.read(until: "}").hasPrefix("HTTP/1.1 404"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var route: Route
        var testDescription: String { path }
    }

    @Test(arguments: [
        Case(path: "/webhooks/apple", route: .webhook(.apple)),
        Case(path: "/webhooks/nobody", route: .file(path: "/webhooks/nobody")),
        Case(path: "/users/42/entitlements", route: .entitlements(user: "42")),
        Case(path: "/users/gid://shop/User/42/stream", route: .userStream(user: "gid://shop/User/42")),
        Case(path: "/users/\u{301}42/stream", route: .userStream(user: "\u{301}42")),
        Case(path: "/users/42", route: .user("42")), Case(path: "/users/a/b", route: .user("a/b")),
        Case(path: "/users/\u{301}", route: .user("\u{301}")), Case(path: "/users/events", route: .user("events")),
        Case(path: "/users/42/events", route: .userEvents(user: "42")),
        Case(path: "/users//events", route: .userEvents(user: "")),
        Case(path: "/users/", route: .file(path: "/users/")), Case(path: "/users", route: .file(path: "/users")),
        Case(path: "/orders", route: .orders), Case(path: "/orders/x/y", route: .order(token: "x/y")),
        Case(path: "/orders/\u{301}", route: .order(token: "\u{301}")),
        Case(path: "/paycast.js", route: .script), Case(path: "/paycast-native.js", route: .nativeScript),
        Case(path: "/openapi.json", route: .openAPI),
        Case(path: "/", route: .file(path: "/")),
        Case(path: "/orders/", route: .file(path: "/orders/")),
    ]) func findsItsRoute(_ given: Case) {
        #expect(Route(path: given.path, stores: [.apple]) == given.route)
    }
}
