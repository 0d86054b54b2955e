internal import Encoding

/// `?name=value&…`, percent-encoded (RFC 3986 §2.1).
public func queryString(_ items: [(name: String, value: String)]) -> String {
    guard !items.isEmpty else { return "" }
    return "?" + items.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
}

/// A text as one part of a path.
public func pathPart(_ text: String) -> String { PercentEncoding.encode(text) }
