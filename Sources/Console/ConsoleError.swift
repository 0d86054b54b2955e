import APIModel
import Pages

/// Why a page cannot be shown, or an action not be done. Each text is for the person in front of it.
enum ConsoleError: Error, Equatable {
    /// There is no such page, or nothing of this name.
    case notFound(String)
    /// The session may not do that.
    case forbidden(String)
    /// What the form says is wrong.
    case invalid(code: String, message: String)
    /// It contradicts what is there now.
    case conflict(code: String, message: String)
    /// The server cannot answer at the moment.
    case unavailable(String)
    case tooManyTries(seconds: Int64)
    case methodNotAllowed

    /// What the API has answered instead of what it was asked for.
    init(_ response: Response) {
        let answer = JSON.decode(ErrorAnswer.self, from: response.body)
        let (code, message) = (answer?.error ?? "", answer?.message ?? "The server answered \(response.status).")
        switch response.status {
        case 400, 413, 422: self = .invalid(code: code, message: message)
        case 401: self = .forbidden("The key of this session is no longer valid. Log in again.")
        case 403: self = .forbidden(message)
        case 404: self = .notFound(message)
        case 409: self = .conflict(code: code, message: message)
        default: self = .unavailable(message)
        }
    }

    var status: Int {
        switch self {
        case .notFound: 404
        case .forbidden: 403
        case .invalid: 400
        case .conflict: 409
        case .unavailable: 503
        case .tooManyTries: 429
        case .methodNotAllowed: 405
        }
    }

    var title: String {
        switch self {
        case .notFound: "Not found"
        case .forbidden: "Not allowed"
        case .invalid: "That does not work"
        case .conflict: "That does not fit what is there now"
        case .unavailable: "No answer at the moment"
        case .tooManyTries: "Too many tries"
        case .methodNotAllowed: "Not here"
        }
    }

    var message: String {
        switch self {
        case .notFound(let text), .forbidden(let text), .unavailable(let text): text
        case .invalid(_, let message), .conflict(_, let message): message
        case .tooManyTries(let seconds): "Wait \(seconds) seconds, and try again."
        case .methodNotAllowed: "This page takes no form. Open it again."
        }
    }

    var headers: [(name: String, value: String)] {
        switch self {
        case .tooManyTries(let seconds): [("Retry-After", String(seconds))]
        case .unavailable: [("Retry-After", "5")]
        case .methodNotAllowed: [("Allow", "GET, HEAD")]
        case .notFound, .forbidden, .invalid, .conflict: []
        }
    }
}
