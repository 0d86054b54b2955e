internal import Domain

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
            // Nothing can be done to a file but reading it: any other method means a route that is not there.
            if case .file = route { return .refuse(StaticFiles.notFound) }
            return .refuse(RequestGate.methodNotAllowed(route))
        }
        guard head.method == "POST" || head.method == "PUT" else { return .handle }
        switch head.bodyLength {
        case .none, .chunked:
            return .refuse(.error(411, "length_required", "Send the body in one piece, with Content-Length."))
        case .malformed:
            return .refuse(.error(400, "invalid_content_length", "Content-Length must be a number of bytes."))
        case .bytes(let length) where length > RequestGate.bodyLimit:
            return .refuse(.error(413, "body_too_large", "A body may have 256 KiB at the most."))
        case .bytes(let length):
            return .collect(length: length)
        }
    }

    static func methodNotAllowed(_ route: Route) -> Response {
        .error(
            405,
            "method_not_allowed",
            "This address takes \(route.methods) only.",
            headers: [("Allow", route.methods)]
        )
    }
}
