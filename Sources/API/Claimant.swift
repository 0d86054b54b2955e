internal import Concurrency
internal import Crypto
internal import Domain
internal import Encoding

/// Who is said to own a posted purchase. A page speaks for the user of its stream. A backend names any user, or none:
/// then the order token in the purchase decides.
struct Claimant {
    /// A signed stream name.
    var stream: String?
    var user: UserID?

    init(of body: JSONNode) throws(RefusedBody) {
        stream = try RefusedBody.string("stream", of: body)
        user = try RefusedBody.user(of: body)
    }

    func resolve(
        _ services: Services,
        isTrusted: Bool,
        origin: PageOrigin
    ) throws(RefusedBody) -> UserID? {
        guard let stream else {
            guard isTrusted else { throw RefusedBody(response: Access.unauthorized) }
            return user
        }
        guard isTrusted || !origin.isRefused else { throw RefusedBody(response: PageOrigin.refusal) }
        let owner = try Claimant.owner(of: stream, services: services)
        guard user == nil || isTrusted else { throw RefusedBody(response: Access.unauthorized) }
        guard user == nil || user == owner else {
            throw RefusedBody("contradicting_user", message: "user and stream name two users.")
        }
        return owner
    }

    private static func owner(of token: String, services: Services) throws(RefusedBody) -> UserID {
        let name: SignedName
        do throws(StreamNameError) {
            name = try services.access.stream(named: token, now: services.clock.now())
        } catch {
            throw error == .expired ? RefusedBody.expiredName : RefusedBody.forgedName
        }
        guard let user = services.streams.user(of: name.stream) else { throw RefusedBody.notAUsersStream }
        return user
    }
}

extension RefusedBody {
    fileprivate static let expiredName = RefusedBody(
        "expired_stream_name",
        message: "The signed stream name has expired; load the page again.",
        status: 403
    )
    fileprivate static let forgedName = RefusedBody(
        "forged_stream_name",
        message: "The stream is not signed with a key of this server.",
        status: 403
    )
    fileprivate static let notAUsersStream = RefusedBody(
        "not_a_users_stream",
        message: "The stream is not the one of a user; take an order's.",
        status: 403
    )
}
