import Domain
import Encoding
import Glibc
import HTTPClient

/// How a page is connected.
public enum PageTransport: String, CaseIterable, Sendable {
    case websocket, cable, sse

    public static let names = allCases.map(\.rawValue)
}

/// One connection that follows one stream as an open page does.
struct PageConnection: Sendable {
    enum Event {
        case opened
        case message(html: String, cursor: String?)
        /// Of the message that comes next, over a cable that keeps a history.
        case place(CablePlace)
        /// What came after the place that the server was told may be missing.
        case gap
        /// Where to resume, which only an event stream says: after all messages so far.
        case position(String)
        /// About once a second.
        case tick
    }

    /// A subscription to Action Cable, or the first block of an event stream, has to come in this time.
    static let openingTime = Duration.seconds(10)

    /// The `http` or `https` form of the server's address, without a trailing slash.
    let address: String
    let transport: PageTransport
    let signedName: String
    /// The origin of the page; nil for a page of the server itself.
    var page: String?
    /// In PEM: the only authority that is trusted.
    var authorityFile: String?
    var isHTTP1Only = false
    /// Where an earlier connection ended.
    var place: CablePlace?

    /// Calls `handle`, on this thread, until it returns false or the connection ends. Throws only when the latter comes
    /// first.
    func run(since: String?, _ handle: (Event) -> Bool) throws(PageFailure) {
        switch transport {
        case .sse: try followEvents(since: since, handle)
        case .websocket: try followFragments(since: since, handle)
        case .cable: try subscribe(since: since, handle)
        }
    }

    private func streams(since: String?) -> String {
        address + "/streams" + queryString([("name", signedName), ("since", since)])
    }

    // MARK: Server-Sent Events

    private func followEvents(since: String?, _ handle: (Event) -> Bool) throws(PageFailure) {
        var reader = EventReader(page: page)
        do throws(HTTPClientError) {
            let client = HTTPClient(
                timeout: PageConnection.openingTime,
                authorityFile: authorityFile,
                isHTTP1Only: isHTTP1Only
            )
            let headers = [("Accept", "text/event-stream")] + (page.map { [("Origin", $0)] } ?? [])
            try client.stream(streams(since: since), headers: headers) { event in
                switch event {
                case .head(let head): reader.answered(head)
                case .bytes(let bytes): return reader.received(bytes, handle)
                case .tick: return reader.ticked(handle)
                }
                return true
            }
        } catch {
            throw PageFailure(error)
        }
        if let failure = reader.ended() { throw failure }
        if !reader.wasStopped { throw PageFailure(.ended, "the server has ended the stream", mayPass: true) }
    }

    // MARK: WebSocket

    private func followFragments(since: String?, _ handle: (Event) -> Bool) throws(PageFailure) {
        try follow(streams(since: since), subprotocol: nil) { event, _ in
            switch event {
            case .opened: handle(.opened)
            case .text(let html): handle(.message(html: html, cursor: nil))
            case .tick: handle(.tick)
            }
        }
    }

    // MARK: Action Cable

    private func subscribe(since: String?, _ handle: (Event) -> Bool) throws(PageFailure) {
        var conversation = CableConversation(signedName: signedName, since: since, place: place)
        var failure: PageFailure?
        let start = ContinuousClock.now
        let path = (try? RequestURL(address))?.path == "/" ? "/cable" : ""
        try follow(address + path, subprotocol: CableConversation.subprotocols) { event, send in
            switch event {
            case .opened: return true
            case .tick:
                if !conversation.isSubscribed, start.duration(to: .now) > PageConnection.openingTime {
                    failure = PageFailure(.unanswered, "the subscription is not answered in time", mayPass: true)
                }
                return failure == nil && handle(.tick)
            case .text(let text):
                switch conversation.received(text) {
                case .nothing: return true
                case .send(let command): send(command)
                case .subscribed: return handle(.opened)
                case .gap: return handle(.gap)
                case .message(let html, let place):
                    if let place, !handle(.place(place)) { return false }
                    return handle(.message(html: html, cursor: place?.cursor))
                case .failed(let reason): failure = reason
                }
                return failure == nil
            }
        }
        if let failure { throw failure }
    }

    private func follow(
        _ url: String,
        subprotocol: String?,
        _ handle: (WebSocketClient.Event, (String) -> Void) -> Bool
    ) throws(PageFailure) {
        let target: RequestURL
        do throws(HTTPClientError) { target = try RequestURL(url) } catch { throw PageFailure(error) }
        do throws(WebSocketError) {
            try WebSocketClient(
                target,
                subprotocol: subprotocol,
                page: page,
                authorityFile: authorityFile,
                // libcurl finds a proxy by itself.
                environment: processEnvironment()
            ).follow(handle)
        } catch {
            throw PageFailure(.webSocket(error.kind), "\(error)", mayPass: error.mayPass)
        }
    }
}

/// Why a page is not connected, or not any more.
struct PageFailure: Error {
    enum Kind {
        case http(HTTPClientError)
        case webSocket(WebSocketError.Kind)
        /// An answer that opens no event stream, with the code of Paycast's error if it has one.
        case answer(Int, code: String?)
        /// The origin of the page is not allowed to read the answer.
        case foreignOrigin
        /// The server does not accept the name.
        case rejected
        case unanswered
        case ended
    }

    let kind: Kind
    /// One line.
    let text: String
    /// Whether another attempt may go better.
    let mayPass: Bool

    init(_ kind: Kind, _ text: String, mayPass: Bool = false) {
        self.kind = kind
        self.text = text
        self.mayPass = mayPass
    }

    init(_ error: HTTPClientError) {
        let mayPass =
            switch error {
            case .refused, .unknownHost, .timedOut, .noAnswer, .brokenOff, .silent: true
            // Of HTTP/2, libcurl has more ways to say that a connection has ended.
            case .failed(_, let code, _): [16, 92].contains(code)
            default: false
            }
        self.init(.http(error), "\(error)", mayPass: mayPass)
    }
}

/// The `http` or `https` form of an address that a page uses, without a trailing slash.
func pageAddress(_ text: String, of option: String) throws(UsageError) -> String {
    let isWebSocket = ["ws://", "wss://"].contains { text.hasPrefix($0) }
    let address = isWebSocket ? "http" + text.dropFirst(2) : text
    guard let url = try? RequestURL(address), !url.path.contains("?") else {
        throw UsageError("\(option) must be an address such as wss://pay.example.com, not \(quoted(text))")
    }
    return address.hasSuffix("/") ? String(address.dropLast()) : address
}

/// A file of certificates that an option names; a client would only say later that it trusts nobody.
func readableFile(_ arguments: inout Arguments, _ option: String) throws(UsageError) -> String? {
    guard let file = try arguments.option(option) else { return nil }
    guard access(file, R_OK) == 0 else { throw UsageError("\(option): \(quoted(file)) cannot be read") }
    return file
}

/// What a page has received at once.
struct PageMessage {
    let cursor: Cursor?
    var elements: [StreamElement]
    /// Where a page continues whose WebSocket the server ends.
    let farewell: String?

    /// What a server tells the page's own `<turbo-stream-source>` is no element of the stream; it holds the signed name.
    init(html: String, cursor: String?) {
        self.cursor = cursor.flatMap { Cursor($0) }
        let found = StreamElement.all(in: html)
        let own = found.filter(\.isForSource)
        farewell = own.lazy.compactMap(\.since).first
        elements = found.isEmpty ? [StreamElement(html: html)] : found.filter { !$0.isForSource }
    }
}

/// One element of a message: what `tail` prints as one line.
struct PageLine: Followed {
    static let fields = ["cursor", "action", "target", "text"]

    let cursor: Cursor?
    let element: StreamElement

    /// `text` has to occur; the others have to be equal.
    func has(_ value: String, for field: String) -> Bool {
        switch field {
        case "cursor": cursor?.description == value
        case "action": element.action == value
        case "target": element.target == value || element.targets == value
        default: element.html.contains(value)
        }
    }
}
