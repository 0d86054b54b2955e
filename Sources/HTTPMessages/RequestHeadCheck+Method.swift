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
