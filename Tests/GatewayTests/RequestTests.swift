import TestSupport
import Testing

@Suite(.blocking) struct RequestTests {
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
}
