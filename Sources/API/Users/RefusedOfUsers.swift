import Crypto
import Domain
import Support
import Synchronization

/// What this node has refused and a user may have meant: purchases that an app posted, and names of streams. In memory, and
/// bounded: nothing of what was posted is kept. Anybody can write a name that is not signed here, so those cannot take the
/// place of what was posted by the users themselves.
final class RefusedOfUsers: Sendable {
    /// A kind of refusal, the same for however many times it came.
    struct Refusal: Sendable, Equatable {
        /// Nil for a name.
        var provider: Provider?
        var reason: String
        var message: String
        var at: Instant
        var count = 1
    }

    private static let users = 2000
    private static let kindsOfAUser = 10

    private struct State {
        var posts = BoundedCache<UserID, [Refusal]>(capacity: RefusedOfUsers.users)
        var names = BoundedCache<UserID, [Refusal]>(capacity: RefusedOfUsers.users)
    }

    private let state = Mutex(State())

    /// What the user's app posted, or somebody else in the user's name.
    func add(_ refusal: Refusal, of user: UserID) {
        state.withLock { $0.posts[user] = RefusedOfUsers.adding(refusal, to: $0.posts[user]) }
    }

    /// A name that says it is this user's stream.
    func addName(_ refusal: Refusal, of user: UserID) {
        state.withLock { $0.names[user] = RefusedOfUsers.adding(refusal, to: $0.names[user]) }
    }

    private static func adding(_ refusal: Refusal, to known: [Refusal]?) -> [Refusal] {
        var refusal = refusal
        var others = known ?? []
        if let index = others.firstIndex(where: { $0.reason == refusal.reason && $0.provider == refusal.provider }) {
            refusal.count += others.remove(at: index).count
        }
        return [refusal] + others.prefix(kindsOfAUser - 1)
    }

    /// Newest first.
    func newest(of user: UserID) -> [Refusal] {
        state.withLock { ($0.posts[user] ?? []) + ($0.names[user] ?? []) }.sorted { $0.at > $1.at }
    }

    /// Somebody was erased.
    func forget() {
        state.withLock { $0 = State() }
    }
}

extension Services {
    /// Counts a name that is not signed here, for the user whose it says it is.
    func refuse(name token: String) {
        refusals.name(hasKey: authorization.canSign, looksSigned: StreamNameVerifier.looksSigned(token))
        let message = "The name of the user's stream is not signed with a key of this server."
        note(token, reason: "forged_stream_name", message: message)
    }

    /// A name that was refused, of whatever user it names.
    func note(_ token: String, reason: String, message: String) {
        guard let user = StreamNameVerifier.claimedStream(of: token).flatMap({ streams.user(of: $0) }) else { return }
        refusedOfUsers.addName(.init(reason: reason, message: message, at: clock.now()), of: user)
    }

    /// What users had asked for and did not get is told nobody any more: one of them was erased.
    public func userWasErased() { refusedOfUsers.forget() }
}
