internal import Domain

/// Server-Sent Events to the byte: https://html.spec.whatwg.org/multipage/server-sent-events.html
public enum EventStream {
    /// Milliseconds that a browser waits before it reconnects.
    static let retry = 2000

    /// Has no length: the response ends with the connection. `X-Accel-Buffering` keeps nginx from holding events back.
    static func head(allowedOrigin: String?) -> AnswerHead {
        var headers = [
            ("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-store, no-transform"),
            ("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff"), ("Vary", "Origin"),
        ]
        if let allowedOrigin { headers.append(("Access-Control-Allow-Origin", allowedOrigin)) }
        return AnswerHead(status: 200, headers: headers, length: nil, keepAlive: false)
    }

    /// Moves the browser's last event id without an event, so that even a page that has seen nothing yet has a cursor.
    static func position(_ cursor: Cursor) -> String {
        "retry: \(retry)\nid: \(cursor)\n\n"
    }

    /// The same for a stream that is already open.
    static func mark(_ cursor: Cursor) -> String { "id: \(cursor)\n\n" }

    /// A whole answer that makes the page reload and thereby get a valid name.
    public static func expired(_ source: SourceElement, allowedOrigin: String?) -> Response {
        let body = Array("retry: \(expiredRetry)\n\n".utf8) + event(source.renewal, cursor: nil)
        return answer(body, allowedOrigin: allowedOrigin)
    }

    /// A whole answer that says nothing, so that the browser asks again in a minute.
    public static func wait(allowedOrigin: String?) -> Response {
        answer(Array("retry: 60000\n\n".utf8), allowedOrigin: allowedOrigin)
    }

    /// A whole answer: the browser reads it and connects again.
    static func answer(_ body: [UInt8], allowedOrigin: String?) -> Response {
        var headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-store, no-transform")]
        if let allowedOrigin { headers.append(("Access-Control-Allow-Origin", allowedOrigin)) }
        return Response(status: 200, headers: headers, body: body)
    }

    /// Milliseconds after which a page whose name has expired may ask again, if it has not reloaded.
    static let expiredRetry = 10_000

    static let heartbeat = Array(":\n\n".utf8)

    /// One `message` event; CR, LF and CRLF each end a `data:` line, and the browser joins the lines with LF.
    static func event(_ data: [UInt8], cursor: Cursor?) -> [UInt8] {
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
