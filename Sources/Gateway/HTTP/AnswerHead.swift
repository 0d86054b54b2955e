internal import HTTP2

/// The head of an answer, whatever it travels over.
struct AnswerHead {
    var status: Int
    var headers: [(name: String, value: String)]
    /// Of the body. Nil: it ends with the connection, or there can be none (204, 304).
    var length: Int?
    var keepAlive: Bool

    /// As HTTP/1.1 writes it (RFC 9112 §4), with the empty line. `date` is the value of `Date`.
    func text(date: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append("HTTP/1.1 ")
        bytes.append(String(status))
        bytes.append(" ")
        bytes.append(AnswerHead.reason(status))
        bytes.append("\r\nDate: ")
        bytes.append(date)
        bytes.append("\r\n")
        for (name, value) in headers { AnswerHead.append(name, value, to: &bytes) }
        if let length { AnswerHead.append("Content-Length", String(length), to: &bytes) }
        if status != 101 { AnswerHead.append("Connection", keepAlive ? "keep-alive" : "close", to: &bytes) }
        bytes.append("\r\n")
        return bytes
    }

    /// As HTTP/2 sends it (RFC 9113 §8.3.2).
    func fields(date: String) -> ResponseHead {
        var fields = [ResponseHead.Field(name: "date", value: date)]
        fields += headers.map { ResponseHead.Field(name: $0.name.lowercased(), value: $0.value) }
        if let length { fields.append(.init(name: "content-length", value: String(length))) }
        return ResponseHead(status: status, fields: fields)
    }

    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(name)
        bytes.append(": ")
        bytes.append(value)
        bytes.append("\r\n")
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

extension [UInt8] {
    /// In one copy: appended as a collection, a text goes byte by byte.
    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
