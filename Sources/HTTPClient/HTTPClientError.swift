/// Why there is no answer. Errors name the origin only, because URLs, headers and bodies may carry tokens.
public enum HTTPClientError: Error, Equatable, CustomStringConvertible {
    /// The URL cannot be requested; the text says why.
    case invalidURL(String)
    /// A method or header would change the meaning of the request; the text holds its name at most, never its value.
    case invalidRequest(String)
    case refused(String)
    case unknownHost(String)
    case timedOut(String)
    case certificate(String)
    /// The connection ended in the middle of the answer.
    case brokenOff(String)
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
        case .certificate(let origin): "the certificate of \(origin) is not trusted; check the name and the clock"
        case .brokenOff(let origin): "\(origin) ended the connection in the middle of its answer; try again"
        case .silent(let origin): "\(origin) has gone silent; try again"
        case .tooLarge(let origin): "the answer of \(origin) is larger than 16 MiB: is that the right address?"
        case .failed(let origin, let code, let reason): "\(origin): \(reason) (libcurl \(code))"
        }
    }
}
