import HTTPClient
import TestSupport
import Testing

@Suite(.blocking) struct HTTPStreamTests {
    private let client = HTTPClient(timeout: .seconds(60))

    @Test func handsOverBytesUntilTheServerEnds() throws {
        let server = SocketServer { socket in
            _ = try socket.read(until: "\r\n\r\n")
            try socket.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for chunk in ["3\r\none\r\n", "3\r\ntwo\r\n", "0\r\nX-Trailer: t\r\n\r\n"] { try socket.send(chunk) }
        }
        var statuses: [Int] = []
        var received = ""
        try client.stream(server.url, headers: [("Accept", "text/event-stream")]) { event in
            switch event {
            case .head(let head): statuses.append(head.status)
            case .bytes(let bytes): received += String(decoding: bytes, as: UTF8.self)
            case .tick: break
            }
            return true
        }
        #expect(statuses == [200])
        #expect(received == "onetwo")
    }

    @Test func statusCanEndIt() throws {
        let server = Recorder("HTTP/1.1 401 Unauthorized\r\n\r\nbody")
        var wasCalled = false
        try client.stream(server.url, headers: []) { event in
            if case .head(let head) = event { return head.status == 200 }
            if case .bytes = event { wasCalled = true }
            return true
        }
        #expect(!wasCalled)
    }

    /// The server never ends it; false does.
    @Test func bytesCanEndIt() throws {
        let server = SocketServer { socket in
            _ = try socket.read(until: "\r\n\r\n")
            try socket.send("HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n")
            _ = try socket.readToEnd()
        }
        try client.stream(server.url, headers: []) { event in
            if case .bytes = event { false } else { true }
        }
    }

    /// Nothing is sent after the head; the tick still comes.
    @Test func tickCanEndIt() throws {
        let server = SocketServer { socket in
            _ = try socket.read(until: "\r\n\r\n")
            try socket.send("HTTP/1.1 200 OK\r\n\r\n")
            _ = try socket.readToEnd()
        }
        var isOpen = false
        try client.stream(server.url, headers: []) { event in
            if case .head = event { isOpen = true }
            if case .tick = event { return !isOpen }
            return true
        }
        #expect(isOpen)
    }

    @Test func nobodyThereIsAnError() {
        #expect(throws: HTTPClientError.refused(ReservedPort.unused.url)) {
            try client.stream(ReservedPort.unused.url, headers: []) { _ in true }
        }
    }
}
