import Domain
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// A page that reads as much as its test wants: the numbers of messages that are longer than any buffer on the way.
final class SlowPage {
    enum Transport: String, CaseIterable, Sendable {
        case eventStream, webSocket, cable, eventStreamOverTLS, http2

        var isEncrypted: Bool { self == .eventStreamOverTLS || self == .http2 }

        /// What a steady reader takes at a time: more than the kernel needs to offer room again, and as much as a frame
        /// of HTTP/2 holds.
        var step: Int { self == .http2 ? 16 << 10 : 32 << 10 }

        /// How many pings of the clock, three seconds apart, go by meanwhile: it takes more than 1 KiB a second, and less
        /// than waits for it until a deadline.
        var pings: Int { self == .http2 ? 2 : 1 }

        /// The label of its pages.
        var label: String {
            switch self {
            case .eventStream, .eventStreamOverTLS, .http2: "sse"
            case .webSocket: "websocket"
            case .cable: "cable"
            }
        }
    }

    static let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)

    private let connection: any ByteStream
    private var received: [UInt8] = []

    /// Follows the stream `x` from the cursor `since` on.
    init(_ transport: Transport, port: Int, since: String? = nil) throws {
        let path = "/streams?name=x" + (since.map { "&since=\($0)" } ?? "")
        let head = "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n"
        switch transport {
        case .eventStream:
            let socket = try SlowPage.connect(port: port)
            try socket.send(head)
            _ = try socket.read(until: "id: test-")
            connection = socket
        case .webSocket:
            let page = try RawWebSocket(over: SlowPage.connect(port: port), port: port, path: path)
            // Established once it answers a ping: from then on it gets what is published. What it missed would come first.
            if since == nil {
                try page.send(.ping)
                while try page.frame().opcode != .pong {}
            }
            connection = page.socket
        case .cable:
            let cable = try CableClient(port: port)
            cable.webSocket.socket.limitReceiveBuffer(to: SlowPage.receiveBuffer)
            #expect(try cable.subscribe(CableClient.identifier("x", since: since)) == "confirm_subscription")
            connection = cable.webSocket.socket
        case .eventStreamOverTLS:
            let client = try TLSClient(port: port, receiveBuffer: SlowPage.receiveBuffer)
            try client.send(head)
            _ = try client.read(until: "id: test-")
            connection = client
        case .http2:
            let client = try HTTP2Client(port: port)
            try client.send(.request(1, path: path))
            _ = try client.frame(.data, stream: 1)
            connection = HTTP2Page(client)
        }
    }

    /// Small, so that it says soon when it has room again.
    private static let receiveBuffer: Int32 = 16 << 10

    private static func connect(port: Int) throws -> RawSocket {
        let socket = try RawSocket(port: port)
        socket.limitReceiveBuffer(to: receiveBuffer)
        return socket
    }

    /// Reads at least so many bytes.
    func take(_ count: Int) throws {
        let end = received.count + count
        while received.count < end { try #require(try takeSome(), "it was ended") }
    }

    /// Reads up to the message that ends with this mark.
    func take(until mark: String) throws {
        connection.widen()
        while !String(decoding: received.suffix(200), as: UTF8.self).contains(mark) {
            try #require(try takeSome(), "it was ended")
        }
    }

    func takeRest() throws {
        connection.widen()
        while try takeSome() {}
    }

    /// False at the end.
    private func takeSome() throws -> Bool {
        let bytes = try connection.readSome()
        received += bytes
        return !bytes.isEmpty
    }

    /// The numbers of the messages that it has received whole, each with all its bytes.
    var numbers: [Int] {
        pieces.compactMap { piece in
            guard let end = piece.firstIndex(of: UInt8(ascii: "]")),
                piece[(end + 1)...].starts(with: SlowPage.filling)
            else { return nil }
            return Int(String(decoding: piece[..<end], as: UTF8.self))
        }
    }

    /// Whether the last message breaks off, with nothing behind the bytes that belong to it.
    var breaksOff: Bool {
        guard let last = pieces.last, let end = last.firstIndex(of: UInt8(ascii: "]")) else { return false }
        return last[(end + 1)...].allSatisfy { $0 == UInt8(ascii: "x") } && last.count < SlowPage.filling.count
    }

    private var pieces: [ArraySlice<UInt8>] { Array(received.split(separator: UInt8(ascii: "[")).dropFirst()) }

    /// How its connection said that it ended; nil if it just ended, which is all that can be said in the middle of a
    /// message.
    var farewell: String? { connection.farewell }
}

/// What a page reads from.
private protocol ByteStream {
    /// Whatever has arrived, or arrives next; empty at the end.
    func readSome() throws -> [UInt8]
    /// From now on it is read at once. Through a small window the rest would take many seconds.
    func widen()
    var farewell: String? { get }
}

extension RawSocket: ByteStream {
    fileprivate func readSome() throws -> [UInt8] { try readSome(by: nil) }
    fileprivate func widen() { limitReceiveBuffer(to: 4 << 20) }
    fileprivate var farewell: String? { nil }
}

extension TLSClient: ByteStream {
    fileprivate func widen() { socket.widen() }
    fileprivate var farewell: String? { isAnnounced ? "close_notify" : nil }
}

/// The page of stream 1. It gives credit for what it takes; its client has read up to a window more.
private final class HTTP2Page: ByteStream {
    private let client: HTTP2Client
    private(set) var farewell: String?

    init(_ client: HTTP2Client) { self.client = client }

    /// Its window is its credit.
    func widen() {}

    func readSome() throws -> [UInt8] {
        while true {
            let frame = try client.frame()
            if frame.kind == .reset, frame.stream == 1 {
                try expectTheOthersToGoOn()
                farewell = "RST_STREAM \(frame.code ?? 0)"
                return []
            }
            guard frame.kind == .data, !frame.payload.isEmpty else { continue }
            let count = UInt32(frame.payload.count)
            try client.send(.credit(count), .credit(count, stream: 1))
            return frame.payload
        }
    }

    private func expectTheOthersToGoOn() throws {
        try client.send(.request(3, path: "/up"))
        #expect(try client.text(3, until: "\n") == "up\n")
    }
}
