/// What came back from an address.
struct HookAnswer: Sendable, Equatable {
    /// Nil without an answer.
    var status: Int?
    /// Why nothing came back.
    var problem: String?
    var retryAfter: Duration?
    /// Its beginning.
    var body: [UInt8] = []

    var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }

    /// True if other messages would probably fail there, too.
    var concernsTheAddress: Bool {
        guard let status else { return true }
        switch status {
        // Another secret, or another address: no message would be accepted.
        case 401, 403, 404, 405: return true
        case 408, 410, 429: return true
        default: return status >= 500 || (300..<400).contains(status)
        }
    }

    /// What it means, and what to do.
    var text: String {
        guard let status else { return problem ?? "no answer" }
        let todo =
            switch status {
            case 200..<300: "it accepts what is signed with its secret"
            case 300..<400: "it redirects: name the last address in PAYCAST_HOOK_URLS"
            case 401, 403: "it wants a password, or another secret than that of PAYCAST_HOOK_SECRETS"
            case 400: "it does not believe the signature, or cannot read the message: its log says why"
            case 404, 405: "PAYCAST_HOOK_URLS needs the whole address"
            case 410: "it is gone: take it out of PAYCAST_HOOK_URLS, or start or reload the server to try again"
            case 413: "it takes only smaller bodies"
            default: "its log says why"
            }
        return "it answers \(status): \(todo)"
    }
}
