internal import Domain
public import HTTP1

/// Decides from a request's head alone: refuse it, wait for its body, or hand it on.
public struct RequestHeadCheck: Sendable {
    /// How to go on with a request.
    public enum Admission: Sendable {
        case refuse(Response)
        case collect(length: Int)
        case handle
    }

    /// 256 KiB: a genuine notification has about 19 kB.
    static let bodyLimit = 256 << 10

    public init() {}

    /// `route` is the one that its path names.
    public func admit(_ head: RequestHead, to route: Route) -> Admission {
        guard route.takes(head.method) else {
            // A file can only be read. With any other method, the request means a route that does not exist.
            if case .file = route { return .refuse(.notFound) }
            return .refuse(RequestHeadCheck.methodNotAllowed(route))
        }
        if case .server = route { return .refuse(Response(status: 204, headers: [("Allow", Route.allMethods)])) }
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

    static func methodNotAllowed(_ route: Route) -> Response {
        .error(
            405,
            code: "method_not_allowed",
            message: "This address accepts only \(route.methods).",
            headers: [("Allow", route.methods)]
        )
    }
}
