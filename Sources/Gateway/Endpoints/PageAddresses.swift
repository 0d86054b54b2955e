internal import Domain

/// Where a page of a user connects, and the markup that does it.
struct PageAddresses: Sendable {
    struct Page: Encodable, Sendable {
        var stream: String
        var signedStream: String
        var since: String
        var sse: String
        var websocket: String
        /// Ready to be put into a page.
        var html: String
    }

    private let access: Access
    private let streams: StreamPattern
    private let host: String

    init(_ services: Services, host: String) {
        access = services.access
        streams = services.streams
        self.host = AddressText.host(host)
    }

    /// Nil when the user id cannot be in a stream name.
    func page(of user: String, since: Cursor) -> Page? {
        guard let stream = streams.stream(for: user) else { return nil }
        let signed = access.sign(stream)
        let path = "/streams?name=\(AddressText.queryEscaped(signed))&since=\(since)"
        let source = "http://\(host)\(path)".replacing("&", with: "&amp;")
        return Page(
            stream: stream.text,
            signedStream: signed,
            since: since.description,
            sse: "http://\(host)\(path)",
            websocket: "ws://\(host)\(path)",
            html: "<turbo-stream-source src=\"\(source)\"></turbo-stream-source>"
        )
    }
}
