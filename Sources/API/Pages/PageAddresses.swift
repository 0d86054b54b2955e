import APIModel
import Crypto
import Domain
import Encoding
import HTTP
import Pages

/// The addresses at which a user's page connects.
struct PageAddresses: Sendable {
    private let streamNames: StreamNameVerifier
    private let streams: StreamPattern
    private let endedPages: EndedPages
    private let host: String
    private let scheme: Scheme

    /// Returns nil without a key to sign names with.
    init?(_ services: Services, request: Request) {
        guard let streamNames = services.authorization.streamNames else { return nil }
        self.streamNames = streamNames
        streams = services.streams
        endedPages = services.endedPages
        host = AddressText.host(request.host)
        scheme = request.scheme ?? (services.isSecure ? .https : .http)
    }

    /// Returns nil if the user id cannot be part of a stream name. `others` are signed names that the page follows beside its
    /// user's, over the same connection. `ending` is where the ledger says that the user's pages were ended last.
    func page(of user: UserID, with others: [String] = [], since: Cursor, ending: Int64) -> StreamAnswer? {
        guard let stream = streams.stream(for: user) else { return nil }
        let signed = streamNames.sign(stream, after: endedPages.last(of: user, stored: ending, in: since.epoch))
        let path = SourceElement.path(of: [signed] + others) + "&since=\(since)"
        return StreamAnswer(
            stream: stream.text,
            signedStream: signed,
            since: since.description,
            sse: "\(scheme)://\(host)\(path)",
            websocket: "\(scheme.webSocket)://\(host)\(path)"
        )
    }
}
