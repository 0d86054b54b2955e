internal import Domain
internal import Gateway
internal import GoogleStore
internal import StoreInterface

/// `POST /transactions/google`: a purchase that the Play Billing library gave an app. It may arrive before Google's
/// push.
///
/// Google signs nothing that we could check here, so we read the purchase from Google's API and then handle it like a
/// push: the one that arrives first is shown, the other changes nothing.
struct PurchasesEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let post = AppPost(services: services, read: PurchaseBody.init, claimant: \.claimant)
        return post.answer(request) { body, user, answer in
            guard let google = services.google else {
                answer(refusal(.notConfigured))
                return true
            }
            return services.blockingPools.submit(.app(.google)) {
                commit(body, for: user, request, google, answer)
            } orElse: {
                answer(.busy)
            }
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
