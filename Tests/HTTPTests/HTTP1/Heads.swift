import HTTP

extension RequestHead {
    convenience init(_ text: String) throws(HeadFlaw) {
        try self.init(parsing: Array(text.utf8)[...])
    }

    /// A GET of `/` with these lines behind its Host.
    static func get(_ fields: String...) throws(HeadFlaw) -> RequestHead {
        try RequestHead(text(fields: fields))
    }

    static func text(_ line: String = "GET / HTTP/1.1", fields: [String]) -> String {
        ([line, "Host: pay.example"] + fields + ["", ""]).joined(separator: "\r\n")
    }
}

extension RequestBuffer {
    mutating func append(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { append($0) }
    }
}
