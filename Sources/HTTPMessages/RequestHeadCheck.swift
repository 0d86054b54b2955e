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
        if let refusal = refusal(of: head.method, by: route) { return .refuse(refusal) }
        if case .server = route { return .refuse(Response(status: 204, headers: [("Allow", Route.allMethods)])) }
        return admitBody(after: head)
    }
}
