internal import Domain
internal import Providers
internal import Runtime

/// `POST /transactions/google`: what the Play Billing library gave an app, which may be here before Google's push is.
///
/// Google signs nothing that could be checked here, so the purchase is read from its API, and from there on goes through
/// the same functions: whichever comes first is shown, the other one changes nothing.
struct PurchasesEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let origin = PageOrigin(request, services.access)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        let isTrusted = services.access.isTrusted(request.credentials)
        do throws(RefusedBody) {
            let body = try PurchaseBody(request.body)
            let user = try body.claimant.resolve(services, isTrusted: isTrusted, origin)
            guard let google = services.google else { return .respond(origin.shown(refusal(.notConfigured))) }
            return .later { [callers = services.callers] reply in
                let refuse = { @Sendable in reply.send(origin.shown(.busy)) }
                let isTaken = callers.submit(.app(.google)) {
                    commit(body, for: user, request, google) { reply.send(origin.shown($0)) }
                } orElse: {
                    refuse()
                }
                if !isTaken { refuse() }
                return true
            }
        } catch {
            return .respond(origin.shown(error.response))
        }
    }

    private func commit(
        _ body: PurchaseBody,
        for user: UserID?,
        _ request: Request,
        _ google: any PostedPurchaseReader,
        _ answer: @escaping @Sendable (Response) -> Void
    ) {
        do throws(VerificationError) {
            let event = try google.read(body.purchase)
            Commitment(services, request).commit(event, for: user, with: body.order) { answer($0.response) }
        } catch {
            answer(refusal(error))
        }
    }

    private func refusal(_ error: VerificationError) -> Response {
        services.refusals.post("purchase refused", from: .google, error.code)
        return .refused(error)
    }
}
