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
    let stream: String?
    let user: UserID?

    init(of body: JSONNode) throws(RefusedBody) {
        stream = try RefusedBody.string("stream", of: body)
        user = try RefusedBody.user(of: body)
    }
}

extension Services {
    /// `refusal` says why the request's key does not speak for a backend; nil when it does.
    func user(
        of claimant: Claimant,
        refusal: RefusedBody?,
        origin: CORSAnswer
    ) throws(RefusedBody) -> UserID? {
        let user = claimant.user
        guard let stream = claimant.stream else {
            if let refusal { throw refusal }
            return user
        }
        guard refusal == nil || !origin.isRefused else { throw CORSAnswer.refusal }
        let owner = try owner(of: stream)
        if user != nil, let refusal { throw refusal }
        guard user == nil || user == owner else { throw RefusedBody.contradictingUser }
        return owner
    }

    /// The user for whom the holder of a signed stream name may speak.
    func owner(of token: String) throws(RefusedBody) -> UserID {
        let name: SignedName
        do throws(StreamNameError) {
            name = try authorization.stream(named: token, now: clock.now())
        } catch {
            guard error != .expired else { throw RefusedBody.expiredName }
            refusals.name(hasKey: authorization.canSign)
            throw RefusedBody.forgedName
        }
        guard let user = streams.user(of: name.stream) else { throw RefusedBody.notAUsersStream }
        return user
    }
}

extension RefusedBody {
    fileprivate static let contradictingUser = RefusedBody(
        "contradicting_user",
        message: "user and stream name two users."
    )
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
