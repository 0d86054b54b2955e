import Encoding

/// Text encoding of DER (RFC 7468).
public enum PEM {
    /// The contents of all blocks with this label, in order; nil when one of them is broken.
    public static func blocks(_ label: String, in text: String) -> [[UInt8]]? {
        var blocks: [[UInt8]] = []
        var body: String?
        for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }).map(Substring.init) {
            if line == "-----BEGIN \(label)-----" {
                body = ""
            } else if line == "-----END \(label)-----" {
                guard let der = body.flatMap({ Base64.decode($0) }) else { return nil }
                blocks.append(der)
                body = nil
            } else {
                body?.append(String(line))
            }
        }
        return body == nil ? blocks : nil
    }

    public static func text(_ label: String, der: [UInt8]) -> String {
        var rest = Base64.encode(der)[...]
        var lines: [Substring] = []
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
    }
}
