public import HTTP1

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
        guard route.takes(head.method) else {
            // A file can only be read. With any other method, the request means a route that does not exist.
            if case .file = route { return .refuse(.notFound) }
            return .refuse(RequestHeadCheck.methodNotAllowed(route))
        }
        if case .server = route { return .refuse(Response(status: 204, headers: [("Allow", Route.allMethods)])) }
        return admitBody(after: head)
    }

    static func methodNotAllowed(_ route: Route) -> Response {
        .error(
            405,
            code: "method_not_allowed",
            message: "This address accepts only \(route.methods).",
            headers: [("Allow", route.methods)]
        )
    }
}
