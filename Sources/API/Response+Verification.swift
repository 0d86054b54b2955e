internal import APIModel
internal import Domain
internal import HTTPMessages
internal import StoreInterface

extension Response {
    /// Why a delivery is rejected. 503 asks for another delivery while an operator investigates: in the past, Apple
    /// stopped retrying after a 400.
    static func refused(_ error: VerificationError, status: Int = 400) -> Response {
        if error == .storeUnreachable { return .unavailable(error.code, message: error.message, retryAfter: 30) }
        if error.isRetryable { return .unavailable(error.code, message: error.message, retryAfter: 3600) }
        return .error(status, code: error.code, message: error.message)
    }

    /// 422 means that the request is fine, but what the app kept of its store is not.
    static func refused(_ error: RefusedPurchase) -> Response {
        switch error {
        case .unproven(let error, _): .refused(error)
        case .unusable(let code, let message, true): .unavailable(code, message: message, retryAfter: 60)
        case .unusable(let code, let message, false): .error(422, code: code, message: message)
        }
    }
}

extension RefusedBody {
    var response: Response { .error(status, code: code, message: message) }
}
