import CCurl

/// A URL, parsed by the same parser that libcurl uses to request it.
public struct RequestURL: Sendable {
    public let url: String
    /// `scheme://host[:port]`: the only part that errors may name.
    public let origin: String
    /// An IPv6 address is in brackets.
    public let host: String
    public let port: UInt16
    /// With the query; begins with a slash.
    public let path: String
    public let isSecure: Bool
    /// Whether it can be reached only from this machine.
    public let isLoopback: Bool

    public init(_ url: String) throws(HTTPClientError) {
        guard let handle = curl_url() else { throw .invalidURL("no memory to read it") }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME, of: handle), let host = part(CURLUPART_HOST, of: handle)
        else { throw .invalidURL("it must look like http://host:port/path") }
        guard scheme == "http" || scheme == "https" else { throw .invalidURL("only http and https are supported") }
        let given = part(CURLUPART_PORT, of: handle)
        self.url = url
        self.host = host
        isSecure = scheme == "https"
        port = given.flatMap { UInt16($0) } ?? (isSecure ? 443 : 80)
        path = (part(CURLUPART_PATH, of: handle) ?? "/") + (part(CURLUPART_QUERY, of: handle).map { "?" + $0 } ?? "")
        origin = "\(scheme)://\(host)\(given.map { ":" + $0 } ?? "")"
        isLoopback = host == "localhost" || host == "[::1]" || isLoopbackIPv4(host)
    }
}

private func isLoopbackIPv4(_ host: String) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.first == "127" && numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
}

private func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
}
