internal import AppleStore
internal import Concurrency
internal import Domain
internal import Gateway
internal import StoreInterface

/// `POST /transactions/apple`: a transaction that StoreKit gave an app. It may arrive before Apple's webhook.
///
/// Both take the same path: the one that arrives first is shown, the other changes nothing.
struct TransactionsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let post = AppPost(services: services, read: TransactionBody.init, claimant: \.claimant)
        return post.answer(request) { body, user, answer in
            guard let apple = services.apple else {
                answer(refusal(.notConfigured))
                return true
            }
            return services.workers.submit { commit(body, for: user, request, apple.transactions, answer) }
        }
    }

    private func commit(
        _ body: TransactionBody,
        for user: UserID?,
        _ request: Request,
        _ verifier: AppleVerifier,
        _ answer: @escaping @Sendable (Response) -> Void
    ) {
        do throws(VerificationError) {
            var event = try verifier.verify(
                transaction: body.signedTransaction,
                renewalInfo: body.signedRenewalInfo,
                now: services.clock.now()
            )
            if body.finish, let job = Job(finishing: event) { event.jobs.append(job) }
            Commitment(services, request).commit(event, for: user, with: body.order) { answer($0.response) }
        } catch {
            answer(refusal(error))
        }
    }

    private func refusal(_ error: VerificationError) -> Response {
        services.refusals.post("transaction refused", from: .apple, error.code)
        return .refused(error)
    }
}

extension Job {
    fileprivate init?(finishing event: Event) {
        guard let transaction = event.observation?.transaction else { return nil }
        self.init(
            kind: .finish,
            provider: event.provider,
            environment: event.environment,
            app: event.app,
            subject: transaction.id
        )
    }
}
