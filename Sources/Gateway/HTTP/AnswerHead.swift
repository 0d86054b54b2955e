internal import Encoding
internal import HTTP2

/// The head of an answer, for HTTP/1.1 and for HTTP/2.
struct AnswerHead {
    var status: Int
    var headers: [(name: String, value: String)]
    /// The length of the body. Nil: the body ends with the connection, or there can be no body (204, 304).
    var length: Int?
    var keepAlive: Bool

    /// As HTTP/1.1 writes it (RFC 9112 §4), with the empty line and what follows it. `date` is the value of `Date`.
    func text(date: String, before body: [UInt8] = []) -> [UInt8] {
        var size = 160 + date.utf8.count + body.count
        for (name, value) in headers { size += name.utf8.count + value.utf8.count + 4 }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var line = TextWriter(buffer)
            line.write("HTTP/1.1 ")
            line.write(status)
            line.write(" ")
            line.write(AnswerHead.reason(status))
            line.write("\r\nDate: ")
            line.write(date)
            for (name, value) in headers {
                line.write("\r\n")
                line.write(name)
                line.write(": ")
                line.write(value)
            }
            if let length {
                line.write("\r\nContent-Length: ")
                line.write(length)
            }
            if status != 101 { line.write(keepAlive ? "\r\nConnection: keep-alive" : "\r\nConnection: close") }
            line.write("\r\n\r\n")
            line.write(body)
            count = line.count
        }
    }

    /// As HTTP/2 sends it (RFC 9113 §8.3.2).
    func fields(date: String) -> ResponseHead {
        var fields = [ResponseHead.Field(name: "date", value: date)]
        fields += headers.map { ResponseHead.Field(name: $0.name.lowercased(), value: $0.value) }
        if let length { fields.append(.init(name: "content-length", value: String(length))) }
        return ResponseHead(status: status, fields: fields)
    }

    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 303: "See Other"
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
