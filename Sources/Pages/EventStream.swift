import APIModel
public import Domain
public import HTTP

/// Server-Sent Events to the byte: https://html.spec.whatwg.org/multipage/server-sent-events.html
public enum EventStream {
    /// Milliseconds that a browser waits before it reconnects.
    static let retry = 2000

    /// Has no length: the response ends with the connection. `X-Accel-Buffering` keeps nginx from holding events back.
    public static func head(allowedOrigin: String?) -> ResponseHead {
        guard let allowedOrigin else { return ownHead }
        var head = ownHead
        head.headers.append(("Access-Control-Allow-Origin", allowedOrigin))
        return head
    }

    private static let ownHead = ResponseHead(
        status: 200,
        headers: [
            ("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-store, no-transform"),
            ("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff"), ("Vary", "Origin"),
        ],
        length: nil,
        keepAlive: false
    )

    /// Moves the browser's last event id without an event, so that even a page that has seen nothing yet has a cursor.
    public static func position(_ cursor: Cursor) -> String { "retry: \(retry)\nid: \(cursor)\n\n" }

    /// Moves the browser's last event id without an event, on a stream that is already open.
    public static func mark(_ cursor: Cursor) -> String { "id: \(cursor)\n\n" }

    /// Milliseconds after which a page whose name has expired may ask again, if it has not reloaded.
    public static let expiredRetry = 10_000

    /// A comment, which browsers ignore and proxies count as a sign of life.
    public static let heartbeat = Array(":\n\n".utf8)

    /// One `message` event; CR, LF and CRLF each end a `data:` line, and the browser joins the lines with LF.
    public static func event(_ data: [UInt8], cursor: Cursor?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 64)
        if let cursor { bytes += "id: \(cursor)\n".utf8 }
        bytes += "data: ".utf8
        var index = data.startIndex
        while index < data.endIndex {
            let byte = data[index]
            index += 1
            guard byte == 10 || byte == 13 else {
                bytes.append(byte)
                continue
            }
            if byte == 13, index < data.endIndex, data[index] == 10 { index += 1 }
            bytes += "\ndata: ".utf8
        }
        bytes += "\n\n".utf8
        return bytes
    }
}

/// A committed entry as developers see it: one JSON object, which the feed sends as one Server-Sent Event.
public enum FeedEvent {
    private static let resetMessage =
        "Your cursor does not belong to this ledger, which may have been restored. Read all of it with since=start."

    public static func json(_ entry: Entry, epoch: String) -> [UInt8] {
        JSON.encode(FeedItem(entry, epoch: epoch))
    }

    /// The complete block, with its cursor as `id:`.
    public static func block(_ entry: Entry, epoch: String) -> [UInt8] {
        EventStream.event(json(entry, epoch: epoch), cursor: Cursor(epoch: epoch, position: entry.position))
    }

    /// The complete block that tells a consumer that its cursor does not belong to this ledger: `event: reset`, with
    /// the position after which it is told everything.
    public static func reset(to head: Cursor) -> [UInt8] {
        let reset = JSON.encode(FeedReset(cursor: head, message: resetMessage))
        return Array("event: reset\n".utf8) + EventStream.event(reset, cursor: head)
    }
}

extension EntrySelection {
    public init(_ query: Query) {
        self = .all
        user = query["user"].map { UserID($0) }
        provider = query["provider"]
        environment = query["environment"]
        type = query["type"]
        outcome = query["outcome"]
        product = query["product"]
    }

    /// The hub's stream for this selection. Developers with the same one share it.
    public var stream: StreamName {
        let parts = [user?.text, provider, environment, type, outcome, product].map { $0.map { "=\($0)" } ?? "" }
        return .feed(parts.joined(separator: "\u{1F}"))
    }
}
