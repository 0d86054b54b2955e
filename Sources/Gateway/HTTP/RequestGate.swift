internal import Domain
internal import HTTP1

/// Decides from a request's head alone: refuse it, wait for its body, or hand it on.
struct RequestGate {
    enum Admission {
        case refuse(Response)
        case collect(length: Int)
        case handle
    }

    /// 256 KiB: a genuine notification has about 19 kB.
    static let bodyLimit = 256 << 10

    func admit(_ head: RequestHead, to route: Route) -> Admission {
        guard route.takes(head.method) else {
            // A file can only be read. With any other method, the request means a route that does not exist.
            if case .file = route { return .refuse(.notFound) }
            return .refuse(RequestGate.methodNotAllowed(route))
        }
        if case .server = route { return .refuse(Response(status: 204, headers: [("Allow", Route.allMethods)])) }
        guard !head.hasTransferEncoding else { return .refuse(RequestGate.lengthRequired) }
        guard head.method == "POST" || head.method == "PUT" else { return .handle }
        guard let length = head.contentLength else { return .refuse(RequestGate.lengthRequired) }
        guard length <= RequestGate.bodyLimit else {
            return .refuse(.error(413, "body_too_large", "A body may have 256 KiB at the most."))
        }
        guard head.expectation != .unknown else {
            return .refuse(.error(417, "expectation_failed", "Of Expect, only 100-continue is understood."))
        }
        return .collect(length: length)
    }

    private static let lengthRequired = Response.error(
        411,
        "length_required",
        "Send the body in one piece, with Content-Length."
    )

    static func methodNotAllowed(_ route: Route) -> Response {
        .error(
            405,
            "method_not_allowed",
            "This address takes \(route.methods) only.",
            headers: [("Allow", route.methods)]
        )
    }
}
