import APIModel
import Crypto
import Domain
import Encoding
import Pages
import Support

/// The user who is said to own a posted purchase. A page speaks for the user of its stream. A backend names any user,
/// or none: the order token in the purchase then decides.
struct Claimant {
    /// A signed stream name.
    var stream: String?
    var user: UserID?

    init(of body: JSONNode) throws(RefusedBody) {
        stream = try RefusedBody.string("stream", of: body)
        user = try RefusedBody.user(of: body)
    }

    /// `refusal` says why the request's key does not speak for a backend; nil when it does.
    func resolve(_ services: Services, refusal: Response?, origin: CORSAnswer) throws(RefusedClaimant) -> UserID? {
        guard let stream else {
            if let refusal { throw RefusedClaimant(response: refusal) }
            return user
        }
        guard refusal == nil || !origin.isRefused else { throw RefusedClaimant(response: CORSAnswer.refusal) }
        let owner = try Claimant.owner(of: stream, services: services)
        if user != nil, let refusal { throw RefusedClaimant(response: refusal) }
        guard user == nil || user == owner else { throw RefusedClaimant.contradictingUser }
        return owner
    }

    /// The user for whom the holder of a signed stream name may speak.
    static func owner(of token: String, services: Services) throws(RefusedClaimant) -> UserID {
        let name: SignedName
        do throws(StreamNameError) {
            name = try services.authorization.stream(named: token, now: services.clock.now())
        } catch {
            guard error != .expired else { throw RefusedClaimant.expiredName }
            services.refusals.name(hasKey: services.authorization.canSign)
            throw RefusedClaimant.forgedName
        }
        guard let user = services.streams.user(of: name.stream) else { throw RefusedClaimant.notAUsersStream }
        return user
    }
}

/// The reason why a claim to own a purchase is not believed.
struct RefusedClaimant: Error {
    let response: Response

    fileprivate static let contradictingUser = RefusedClaimant(
        response: .error(400, code: "contradicting_user", message: "user and stream name two users.")
    )
    fileprivate static let expiredName = RefusedClaimant(
        response: .error(
            403,
            code: "expired_stream_name",
            message: "The signed stream name has expired; load the page again."
        )
    )
    fileprivate static let forgedName = RefusedClaimant(
        response: .error(
            403,
            code: "forged_stream_name",
            message: "The stream is not signed with a key of this server."
        )
    )
    fileprivate static let notAUsersStream = RefusedClaimant(
        response: .error(
            403,
            code: "not_a_users_stream",
            message: "The stream is not the one of a user; take an order's."
        )
    )
}
