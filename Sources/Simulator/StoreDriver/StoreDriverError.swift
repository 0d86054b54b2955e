public import Crypto
public import HTTPClient

/// Why nothing was delivered. A delivery that the server refuses is not an error: its status says so.
public enum StoreDriverError: Error, Equatable, CustomStringConvertible {
    case nobody
    case unreachable(HTTPClientError)
    /// A route gave an unexpected answer; `message` is the server's own, if there was one.
    case refused(route: String, status: Int, message: String?)
    case signing(CryptoError)

    public var description: String {
        switch self {
        case .nobody: "say for whom: a user or an order"
        case .unreachable(let error): "\(error)"
        case .refused(let route, let status, let message):
            "the server answered \(status) to \(route)" + (message.map { ": \($0)" } ?? "")
        case .signing(let error): "cannot sign the notification: \(error)"
        }
    }
}
