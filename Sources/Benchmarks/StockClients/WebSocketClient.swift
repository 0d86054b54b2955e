/// Turbo's `<turbo-stream-source src="ws…">`: it never reconnects, but its element can be replaced.
struct WebSocketClient: StockClient {
    let name = "WebSocket"
    private let path: String
    private(set) var wakeAt: UInt64
    private var reader = ClientFrameReader()

    init(path: String, wakeAt: UInt64) {
        self.path = path
        self.wakeAt = wakeAt
    }

    func request() -> String { "GET \(path) HTTP/1.1\r\n\(ClientFrameReader.upgrade)" }

    mutating func answered(status: Int, now: UInt64, into actions: inout [StockAction]) {
        reader = ClientFrameReader()
        actions.append(status == 101 ? .subscribed : .close)
    }

    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, into actions: inout [StockAction]) {
        reader.append(bytes)
        for frame in reader.take() {
            switch frame.opcode {
            case 1:
                guard let source = SourceReplacement.path(in: frame.payload) else {
                    actions.append(.apply(Array(frame.payload)))
                    continue
                }
                actions += [.close, .become(EventSourceClient(path: source, wakeAt: now))]
                return
            case 8:
                actions += [.send(ClientFrameReader.frame(8, payload: frame.payload)), .close]
                return
            case 9: actions.append(.send(ClientFrameReader.frame(10, payload: frame.payload)))
            default: break
            }
        }
    }

    mutating func closed(now: UInt64) { wakeAt = .max }

    mutating func wake(now: UInt64, into actions: inout [StockAction]) {
        wakeAt = .max
        actions.append(.connect)
    }
}

/// Parses `<turbo-stream action="replace" targets="turbo-stream-source…">` with another source in its template.
enum SourceReplacement {
    static func path(in html: ArraySlice<UInt8>) -> String? {
        guard html.starts(with: #"<turbo-stream action="replace" targets="turbo-stream-source"#.utf8) else {
            return nil
        }
        let text = String(decoding: html, as: UTF8.self)
        guard let element = text.firstRange(of: "<turbo-stream-source "),
            let address = text[element.upperBound...].firstRange(of: "src=\"")
        else { return nil }
        let source = text[address.upperBound...].prefix { $0 != "\"" }
        guard let path = source.firstRange(of: "/streams") else { return nil }
        return String(source[path.lowerBound...]).replacing("&amp;", with: "&")
    }
}
