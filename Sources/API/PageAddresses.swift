internal import Crypto
internal import Domain
internal import Gateway

/// Where a user's page connects, and the markup that connects it.
struct PageAddresses: Sendable {
    struct Page: Encodable, Sendable {
        var stream: String
        var signedStream: String
        var since: String
        var sse: String
        var websocket: String
        /// Ready to insert into a page.
        var html: String
    }

    private let signer: StreamSigner
    private let streams: StreamPattern
    private let host: String
    private let scheme: Scheme

    /// Returns nil without a key to sign names with.
    init?(_ services: Services, _ request: Request) {
        guard let signer = services.access.signer else { return nil }
        self.signer = signer
        streams = services.streams
        host = AddressText.host(request.host)
        scheme = request.scheme ?? (services.isSecure ? .https : .http)
    }

    /// Returns nil if the user id cannot be part of a stream name.
    func page(of user: UserID, since: Cursor) -> Page? {
        guard let stream = streams.stream(for: user) else { return nil }
        let signed = signer.sign(stream)
        let path = "/streams?name=\(AddressText.queryEscaped(signed))&since=\(since)"
        let address = "\(scheme)://\(host)\(path)"
        return Page(
            stream: stream.text,
            signedStream: signed,
            since: since.description,
            sse: address,
            websocket: "\(scheme.webSocket)://\(host)\(path)",
            html: "<turbo-stream-source src=\"\(address.replacing("&", with: "&amp;"))\"></turbo-stream-source>"
        )
    }
}
