internal import Domain
internal import Gateway

/// A purchase that an app or its page posts. Pages of allowed origins may read the answers. The claim that a user owns
/// the purchase is checked before the purchase itself.
struct AppPost<Body: Sendable> {
    let services: Services
    let read: @Sendable ([UInt8]) throws(RefusedBody) -> Body
    let claimant: @Sendable (Body) -> Claimant

    /// `commit` hands the work to other threads and says whether they accept it. It may call its `answer` on any
    /// thread.
    func answer(
        _ request: Request,
        _ commit:
            @escaping @Sendable (
                _ body: Body,
                _ user: UserID?,
                _ answer: @escaping @Sendable (Response) -> Void
            ) -> Bool
    ) -> Answer {
        let origin = PageOrigin(request, services.access)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        do throws(RefusedBody) {
            let body = try read(request.body)
            let isTrusted = services.access.isTrusted(request.credentials)
            let user = try claimant(body).resolve(services, isTrusted: isTrusted, origin)
            return .later { reply in
                let answer: @Sendable (Response) -> Void = { reply.send(origin.shown($0)) }
                if !commit(body, user, answer) { answer(.busy) }
                return true
            }
        } catch {
            return .respond(origin.shown(error.response))
        }
    }
}
