import Encoding

/// The head of an answer. Over HTTP/2 its fields travel in other bytes.
public struct ResponseHead: Sendable {
    public var status: Int
    /// In the order in which they are written, without `Date`, `Content-Length` and `Connection`.
    public var headers: [(name: String, value: String)]
    /// The length of the body. Nil: the body ends with the connection, or there can be no body (204, 304).
    public var length: Int?
    /// Another request may follow on the connection.
    public var keepAlive: Bool

    public init(status: Int, headers: [(name: String, value: String)], length: Int?, keepAlive: Bool) {
        self.status = status
        self.headers = headers
        self.length = length
        self.keepAlive = keepAlive
    }

    /// As HTTP/1.1 writes it (RFC 9112 §4), with the empty line and what follows it. `date` is the value of `Date`.
    public func text(date: String, before body: [UInt8] = []) -> [UInt8] {
        var size = 160 + date.utf8.count + body.count
        for (name, value) in headers { size += name.utf8.count + value.utf8.count + 4 }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var line = TextWriter(buffer)
            line.write("HTTP/1.1 ")
            line.write(status)
            line.write(" ")
            line.write(ResponseHead.reason(status))
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
