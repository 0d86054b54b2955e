/// A browser's `EventSource`: https://html.spec.whatwg.org/multipage/server-sent-events.html
struct EventSourceClient: StockClient {
    let name = "EventSource"
    private let path: String
    private(set) var wakeAt: UInt64
    private var lastEventID = ""
    /// Chrome's default, until the server sends another value.
    private var retry = 3 * second
    /// Any status but 200 ends it forever.
    private var isOver = false
    private var line: [UInt8] = []
    private var endsWithReturn = false
    private var data: [UInt8] = []
    private var hasData = false
    private var pendingID = ""

    init(path: String, wakeAt: UInt64) {
        self.path = path
        self.wakeAt = wakeAt
    }

    func request() -> String {
        let id = lastEventID.isEmpty ? "" : "Last-Event-ID: \(lastEventID)\r\n"
        return "GET \(path) HTTP/1.1\r\nAccept: text/event-stream\r\nCache-Control: no-cache\r\n\(id)"
    }

    mutating func answered(status: Int, now: UInt64, into actions: inout [StockAction]) {
        guard status == 200 else {
            isOver = true
            return actions.append(.close)
        }
        line = []
        data = []
        hasData = false
        endsWithReturn = false
        pendingID = lastEventID
    }

    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, into actions: inout [StockAction]) {
        for byte in bytes {
            defer { endsWithReturn = byte == 13 }
            if byte == 10 && endsWithReturn { continue }
            guard byte == 10 || byte == 13 else {
                line.append(byte)
                continue
            }
            take(&actions)
            line.removeAll(keepingCapacity: true)
        }
    }

    mutating func closed(now: UInt64) { wakeAt = isOver ? .max : now + retry }

    mutating func wake(now: UInt64, into actions: inout [StockAction]) {
        wakeAt = .max
        actions.append(.connect)
    }

    private mutating func take(_ actions: inout [StockAction]) {
        guard !line.isEmpty else { return dispatch(&actions) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let field = line[..<colon]
        if field.elementsEqual("data".utf8) {
            if hasData { data.append(10) }
            data += value
            hasData = true
        } else if field.elementsEqual("id".utf8) {
            pendingID = String(decoding: value, as: UTF8.self)
        } else if field.elementsEqual("retry".utf8), let time = UInt64(String(decoding: value, as: UTF8.self)) {
            retry = time * millisecond
        }
    }

    /// Handles an empty line: the id advances even without data. The first empty line means that the replay begins.
    private mutating func dispatch(_ actions: inout [StockAction]) {
        lastEventID = pendingID
        actions.append(.subscribed)
        guard hasData else { return }
        actions.append(.apply(data))
        data = []
        hasData = false
    }
}
