/// Why there is no answer. Errors name the origin only, because URLs, headers and bodies may carry tokens.
public enum HTTPClientError: Error, Equatable, CustomStringConvertible {
    /// The URL cannot be requested; the text says why.
    case invalidURL(String)
    /// A method or header would change the meaning of the request; the text holds its name at most, never its value.
    case invalidRequest(String)
    case refused(String)
    case unknownHost(String)
    case timedOut(String)
    case certificate(String, CertificateFlaw)
    /// What speaks there has found no TLS in common with this client. The text is OpenSSL's.
    case noTLS(String, reason: String)
    /// The file cannot be read, or has no certificate.
    case noAuthorities(String)
    /// The proxy that the environment names does not lead there.
    case proxy(String, reason: String)
    /// The connection ended before an answer began.
    case noAnswer(String)
    /// The connection ended in the middle of the answer.
    case brokenOff(String)
    /// What came is no answer of HTTP.
    case notHTTP(String)
    /// The answer's head is larger than 64 KiB.
    case headTooLarge(String)
    /// A stream that showed no sign of life.
    case silent(String)
    case tooLarge(String)
    /// Anything else, with libcurl's code and text.
    case failed(String, code: Int, reason: String)

    public var description: String {
        switch self {
        case .invalidURL(let reason): "not a usable address: \(reason)"
        case .invalidRequest(let what): "not a usable request: \(what)"
        case .refused(let origin): "nothing answers at \(origin): is the server running there?"
        case .unknownHost(let origin): "no such host: \(origin); check the address and the name server"
        case .timedOut(let origin): "no answer from \(origin) in time: is it overloaded, or behind a firewall?"
        case .certificate(let origin, let flaw): "the certificate of \(origin) is not trusted: \(flaw)"
        case .noTLS(let origin, let reason): "\(origin) and this client find no TLS (\(reason)): is the port right?"
        case .noAuthorities(let file): "\(file) cannot be read, or has no certificate in PEM: check SSL_CERT_FILE"
        case .proxy(let origin, let reason):
            "\(origin) cannot be reached through the proxy of the environment: \(reason)"
        case .noAnswer(let origin): "\(origin) ended the connection without an answer; try again"
        case .brokenOff(let origin): "\(origin) ended the connection in the middle of its answer; try again"
        case .notHTTP(let origin): "what \(origin) answers is not HTTP: is the port right?"
        case .headTooLarge(let origin): "the headers of \(origin) are larger than 64 KiB: is that the right address?"
        case .silent(let origin): "\(origin) has gone silent; try again"
        case .tooLarge(let origin): "the answer of \(origin) is larger than 16 MiB: is that the right address?"
        case .failed(let origin, let code, let reason): "\(origin): \(reason) (libcurl \(code))"
        }
    }
}
