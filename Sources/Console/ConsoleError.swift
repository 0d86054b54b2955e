import APIModel
import Pages

/// Why a page cannot be shown, or an action not be done. Each text is for the person in front of it.
enum ConsoleError: Error, Equatable {
    /// There is no such page, or nothing of this name.
    case notFound(String)
    /// The session may not do that.
    case forbidden(String)
    /// What the form says is wrong.
    case invalid(String)
    /// It contradicts what is there now. `code` is the API's.
    case conflict(code: String = "", String)
    /// The server cannot answer at the moment.
    case unavailable(String)
    case tooManyTries(seconds: Int64)
    case methodNotAllowed

    /// What the API has answered instead of what it was asked for.
    init(_ response: Response) {
        let answer = JSON.decode(ErrorAnswer.self, from: response.body)
        let message = answer?.message ?? "The server answered \(response.status)."
        switch response.status {
        case 400, 413, 422: self = .invalid(message)
        case 401: self = .forbidden("The key of this session is no longer valid. Log in again.")
        case 403: self = .forbidden(message)
        case 404: self = .notFound(message)
        case 409: self = .conflict(code: answer?.error ?? "", message)
        default: self = .unavailable(message)
        }
    }

    var status: Int { words.status }
    var title: String { words.title }
    var message: String { words.message }

    private var words: (status: Int, title: String, message: String) {
        switch self {
        case .notFound(let text): (404, "Not found", text)
        case .forbidden(let text): (403, "Not allowed", text)
        case .invalid(let text): (400, "That does not work", text)
        case .conflict(_, let text): (409, "That does not fit what is there now", text)
        case .unavailable(let text): (503, "No answer at the moment", text)
        case .tooManyTries(let seconds): (429, "Too many tries", "Wait \(seconds) seconds, and try again.")
        case .methodNotAllowed: (405, "Not here", "This page takes no form. Open it again.")
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
