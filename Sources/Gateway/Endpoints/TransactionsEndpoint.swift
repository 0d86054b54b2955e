internal import Crypto
internal import Domain
internal import Ledger
internal import Providers
internal import Runtime

/// `POST /transactions/apple`: what StoreKit gave an app, which may be here before Apple's webhook is.
///
/// It goes through the same functions: whichever comes first is shown, the other one changes nothing.
struct TransactionsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let origin = PageOrigin(request, services.access)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        let isTrusted = services.access.isTrusted(request.credentials)
        do throws(RefusedBody) {
            let body = try TransactionBody(request.body)
            let user = try user(of: body, isTrusted: isTrusted, origin)
            guard let apple = services.apple else { return .respond(origin.shown(refusal(.notConfigured))) }
            return .later { [pool = services.workers] reply in
                pool.submit { commit(body, for: user, request, apple.transactions) { reply.send(origin.shown($0)) } }
            }
        } catch {
            return .respond(origin.shown(error.response))
        }
    }

    /// Whose purchase it is said to be. A page speaks for the user of its stream, a backend for anybody, or for nobody:
    /// then the order that the transaction carries tells.
    private func user(of body: TransactionBody, isTrusted: Bool, _ origin: PageOrigin) throws(RefusedBody) -> UserID? {
        guard let stream = body.stream else {
            guard isTrusted else { throw RefusedBody(response: Access.unauthorized) }
            return body.user
        }
        guard isTrusted || !origin.isRefused else { throw RefusedBody(response: PageOrigin.refusal) }
        let owner = try owner(of: stream)
        guard body.user == nil || isTrusted else { throw RefusedBody(response: Access.unauthorized) }
        guard body.user == nil || body.user == owner else {
            throw RefusedBody("contradicting_user", "user and stream name two users.")
        }
        return owner
    }

    private func owner(of token: String) throws(RefusedBody) -> UserID {
        let name: SignedName
        do throws(StreamNameError) {
            name = try services.access.stream(named: token, now: services.clock.now())
        } catch {
            throw error == .expired ? RefusedBody.expiredName : RefusedBody.forgedName
        }
        guard let user = services.streams.user(of: name.stream) else { throw RefusedBody.notAUsersStream }
        return user
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
            if body.finish, let errand = Errand(finishing: event) { event.errands.append(errand) }
            Commitment(services, request).commit(event, for: user, with: body.order) { answer($0.response) }
        } catch {
            answer(refusal(error))
        }
    }

    private func refusal(_ error: VerificationError) -> Response {
        services.refusals.post("transaction refused", error.code)
        return .refused(error)
    }
}

extension RefusedBody {
    fileprivate static let expiredName = RefusedBody(
        "expired_stream_name",
        "The signed stream name has expired; load the page again.",
        status: 403
    )
    fileprivate static let forgedName = RefusedBody(
        "forged_stream_name",
        "The stream is not signed with a key of this server.",
        status: 403
    )
    fileprivate static let notAUsersStream = RefusedBody(
        "not_a_users_stream",
        "The stream is not the one of a user; take an order's.",
        status: 403
    )
}

extension Errand {
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
