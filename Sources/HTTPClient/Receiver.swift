/// The object behind libcurl's callbacks. It lives for one transfer, on that transfer's thread.
final class Receiver {
    private let silenceLimit: Duration?
    private let handle: (HTTPClient.Event) -> Bool
    private var head = ReceivedHead()
    private(set) var isHeadComplete = false
    private var lastByte = ContinuousClock.now
    /// True when `handle` returned false, so that libcurl's error about it does not count.
    private(set) var wasStopped = false
    private(set) var isSilent = false

    init(silenceLimit: Duration?, handle: @escaping (HTTPClient.Event) -> Bool) {
        self.silenceLimit = silenceLimit
        self.handle = handle
    }

    /// Handles one header line. Any result but `count` makes libcurl end the transfer.
    func line(_ start: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        guard !isHeadComplete else { return count }  // Trailers.
        switch head.received(UnsafeRawBufferPointer(start: start, count: count)) {
        case .more: return count
        case .refuse: return 0
        case .complete:
            isHeadComplete = true
            lastByte = .now
            return goOn(.head(head.response)) ? count : 0
        }
    }

    func bytes(_ start: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        lastByte = .now
        return goOn(.bytes(UnsafeRawBufferPointer(start: start, count: count))) ? count : 0
    }

    /// libcurl calls this at least once a second; 1 ends the transfer. libcurl's own low-speed limit would count a
    /// heartbeat of three bytes as silence.
    func tick() -> Int32 {
        if let silenceLimit { isSilent = lastByte.duration(to: .now) > silenceLimit }
        return !isSilent && goOn(.tick) ? 0 : 1
    }

    private func goOn(_ event: HTTPClient.Event) -> Bool {
        wasStopped = !handle(event) || wasStopped
        return !wasStopped
    }
}

/// Reads a status line and headers, line by line; pure. It drops an interim answer (1xx) when the next head begins.
struct ReceivedHead {
    enum LineAction: Equatable {
        case more
        case complete
        case refuse
    }

    private(set) var status = 0
    private var isHTTP2 = false
    private(set) var headers: [(name: String, value: String)] = []
    private var size = 0

    /// Without a body.
    var response: HTTPClient.Response {
        HTTPClient.Response(status: status, headers: headers, body: [], isHTTP2: isHTTP2)
    }

    /// Takes one line with its line break, as libcurl passes it. Refuses more than 64 KiB in total.
    mutating func received(_ bytes: UnsafeRawBufferPointer) -> LineAction {
        size += bytes.count
        guard size <= 64 << 10 else { return .refuse }
        let line = trimmed(bytes[...])
        if line.starts(with: "HTTP/".utf8) {
            let text = String(decoding: line, as: UTF8.self)
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            isHTTP2 = text.hasPrefix("HTTP/2")
            headers = []
        } else if line.isEmpty {
            return status >= 200 ? .complete : .more
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let (name, value) = (line[..<colon], trimmed(line[(colon + 1)...]))
            headers.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return .more
    }
}

/// Without the spaces, tabs and line breaks around it.
private func trimmed(_ line: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let isBlank = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    var rest = line.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
}
