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
}
