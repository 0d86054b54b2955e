import HTTPClient
import Support

/// A page's WebSocket, as the command line holds one: libwebsockets' client, on a thread that collects what arrives.
/// `RawWebSocket` is for what no client does, and for what needs its frames or its socket.
public final class PageWebSocket: Sendable {
    private struct Inbox {
        var texts: [String] = []
        var isOpen = false
        var failure: WebSocketError?
        var isLeft = false
    }

    private let inbox = Monitor(Inbox())

    /// Returns once the upgrade was accepted.
    public init(port: Int, path: String) throws {
        let client = try WebSocketClient(try RequestURL("http://127.0.0.1:\(port)\(path)"))
        let inbox = inbox
        WorkerThread.detach(name: "page") {
            do throws(WebSocketError) {
                try client.follow { event, _ in inbox.change { PageWebSocket.take(event, into: &$0) } }
            } catch {
                inbox.change { $0.failure = error }
            }
        }
        let failure = inbox.wait { (inbox: inout Inbox) -> WebSocketError?? in
            inbox.isOpen ? .some(nil) : inbox.failure.map { .some($0) }
        }
        if let failure { throw failure }
    }

    deinit { inbox.change { $0.isLeft = true } }

    /// The next message. Throws `closed` once the server has ended the connection and everything has been read.
    public func text() throws -> String {
        let next = inbox.wait(timeout: .seconds(60)) { (inbox: inout Inbox) -> String?? in
            if !inbox.texts.isEmpty { return .some(inbox.texts.removeFirst()) }
            return inbox.failure == nil ? nil : .some(nil)
        }
        guard let next else { throw RawSocketError.timedOut }
        guard let text = next else { throw RawSocketError.closed }
        return text
    }

    /// False ends it.
    private static func take(_ event: WebSocketClient.Event, into inbox: inout Inbox) -> Bool {
        switch event {
        case .opened: inbox.isOpen = true
        case .text(let text): inbox.texts.append(text)
        case .tick: break
        }
        return !inbox.isLeft
    }
}
