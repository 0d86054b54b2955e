import APIModel
import Pages

/// The part of an answer that a page of another origin may see (https://fetch.spec.whatwg.org/#http-cors-protocol).
struct CORSAnswer {
    private let verdict: OriginCheck.Verdict

    init(_ request: Request, authorization: Authorization) {
        verdict = authorization.origins.judge(request)
    }

    var isRefused: Bool { verdict == .refused }

    /// Answers the preflight that a browser sends before a request to another origin that no form could send. `methods`
    /// begin with that request's.
    func preflight(allowing methods: String, headers: String = "Content-Type, traceparent") -> Response {
        guard !isRefused else { return shown(CORSAnswer.refusal.response) }
        var response = Response(status: 204, headers: [("Allow", methods)])
        if case .allowed = verdict {
            response.headers += [
                ("Access-Control-Allow-Methods", String(methods.prefix { $0 != "," })),
                ("Access-Control-Allow-Headers", headers), ("Access-Control-Max-Age", "600"),
            ]
        }
        return shown(response)
    }

    func shown(_ response: Response) -> Response {
        var response = response
        response.headers.append(("Vary", "Origin"))
        if case .allowed(let origin) = verdict {
            response.headers.append(("Access-Control-Allow-Origin", origin))
        }
        return response
    }

    static let refusal = RefusedBody(
        "origin_not_allowed",
        message: "Pages of this origin may not do that; see PAYCAST_ALLOWED_ORIGINS.",
        status: 403
    )
}
