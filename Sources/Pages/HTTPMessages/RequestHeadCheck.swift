public import HTTP

/// Decides from a request's head alone: refuse it, wait for its body, or hand it on.
public struct RequestHeadCheck: Sendable {
    /// How to go on with a request.
    public enum Admission: Sendable {
        case refuse(Response)
        case collect(length: Int)
        case handle
    }

    public init() {}

    /// `route` is the one that its path names.
    public func admit(_ head: RequestHead, to route: Route) -> Admission {
        if let refusal = refusal(of: head.method, by: route) { return .refuse(refusal) }
        if case .server = route { return .refuse(Response(status: 204, headers: [("Allow", Route.allMethods)])) }
        return admitBody(after: head)
    }
}

/// Whether a request has a body to wait for, and whether it may send it.
extension RequestHeadCheck {
    /// 256 KiB: a genuine notification has about 19 kB.
    static let bodyLimit = 256 << 10

    /// Only the body of a `POST` or a `PUT` is collected, and only if its head states the length.
    func admitBody(after head: RequestHead) -> Admission {
        guard !head.hasTransferEncoding else { return .refuse(RequestHeadCheck.lengthRequired) }
        guard head.method == "POST" || head.method == "PUT" else { return .handle }
        guard let length = head.contentLength else { return .refuse(RequestHeadCheck.lengthRequired) }
        guard length <= RequestHeadCheck.bodyLimit else {
            return .refuse(.error(413, code: "body_too_large", message: "A body may have 256 KiB at the most."))
        }
        guard head.expectation != .unknown else {
            return .refuse(
                .error(417, code: "expectation_failed", message: "Of Expect, only 100-continue is understood.")
            )
        }
        return .collect(length: length)
    }

    private static let lengthRequired = Response.error(
        411,
        code: "length_required",
        message: "Send the body in one piece, with Content-Length."
    )
}

/// Whether a route takes a request's method.
extension RequestHeadCheck {
    /// Nil if the route takes it. A file can only be read: with any other method, the request means a route that does
    /// not exist.
    func refusal(of method: String, by route: Route) -> Response? {
        guard !route.takes(method) else { return nil }
        if case .file = route { return .notFound }
        return RequestHeadCheck.methodNotAllowed(route)
    }

    private static func methodNotAllowed(_ route: Route) -> Response {
        .error(
            405,
            code: "method_not_allowed",
            message: "This address accepts only \(route.methods).",
            headers: [("Allow", route.methods)]
        )
    }
}
