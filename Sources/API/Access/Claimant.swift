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
        guard user == nil || user == owner else {
            throw RefusedBody("contradicting_user", message: "user and stream name two users.")
        }
        return owner
    }

    /// The user for whom the holder of a signed stream name may speak.
    func owner(of token: String) throws(RefusedBody) -> UserID {
        let name: SignedName
        do throws(StreamNameError) {
            name = try stream(named: token)
        } catch {
            guard error != .expired else {
                let message = "The signed stream name has expired; load the page again."
                note(token, reason: "expired_stream_name", message: message)
                throw RefusedBody("expired_stream_name", message: message, status: 403)
            }
            guard error != .ended else { throw RefusedBody.endedName() }
            let message = "The stream is not signed with a key of this server."
            throw RefusedBody("forged_stream_name", message: message, status: 403)
        }
        guard let user = streams.user(of: name.stream) else {
            let message = "The stream is not the one of a user; take an order's."
            throw RefusedBody("not_a_users_stream", message: message, status: 403)
        }
        return user
    }

    /// Counts whether a key of this server vouches for it. Throws too if the user's pages were ended since it was signed.
    func stream(named token: String) throws(StreamNameError) -> SignedName {
        do throws(StreamNameError) {
            let name = try authorization.stream(named: token, now: clock.now())
            guard !endedPages.refuses(name, in: epoch) else { throw .ended }
            refusals.acceptedName()
            return name
        } catch {
            if error == .forged { refuse(name: token) } else { refusals.acceptedName() }
            throw error
        }
    }
}

extension RefusedBody {
    static func endedName(_ title: String = "The name") -> RefusedBody {
        let message =
            "\(title) was signed before its user's pages were ended: take a new one from GET /users/{user}/stream."
        return RefusedBody("ended_stream_name", message: message, status: 403)
    }
}
