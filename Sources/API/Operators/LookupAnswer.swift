public import APIModel
import Domain
import Encoding
import HTTP
import Ledger
import Pages
import Stores
import Support
import Synchronization

/// What a store was asked about a name, and said.
public struct LookupAnswer: Codable, Sendable, Equatable {
    /// What the store has, whether or not the ledger does.
    public struct Found: Codable, Sendable, Equatable {
        /// By which the ledger knows it: a contract's lineage id, or the buyer's name at the store.
        public var name: String
        /// Whether the ledger has it.
        public var known: Bool
        @Nullable public var environment: String?
        @Nullable public var product: String?
        /// The charge that was looked up.
        @Nullable public var transaction: String?
        /// ISO 8601, UTC.
        @Nullable public var purchasedAt: String?
        @Nullable public var revokedAt: String?
        /// In thousandths of the currency's unit.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
    }

    public var provider: String
    /// What the name is by its form, in a sentence: `an order ID`.
    public var kind: String
    /// Why there is no answer; null if there is one.
    @Nullable public var problem: String?
    /// At most 100.
    public var purchases: [Found]
}

/// How many questions to stores people may cause: each is a call that the store counts against the app.
final class LookupLimit: Sendable {
    static let perMinute = 30

    private let counted = Mutex((minute: Int64(0), count: 0))

    /// Counts a question; false if it may not be asked now.
    func admit(now: Instant) -> Bool {
        counted.withLock { counted in
            let minute = now.seconds / 60
            if counted.minute != minute { counted = (minute, 0) }
            counted.count += 1
            return counted.count <= LookupLimit.perMinute
        }
    }
}

/// What one store said of a name.
struct StoreReply: Sendable {
    var provider: Provider
    /// What the name is by its form.
    var kind: String
    /// Why it said nothing: part of a sentence, which never has the name.
    var problem: String?
    var found: [FoundPurchase] = []
}

extension Services {
    /// What the stores say that are served and could look up such a name; and of one that is not, that the name is its own. Blocks.
    func replies(about name: String) -> [StoreReply] {
        stores.compactMap { provider in
            guard let type = storeTypes[provider], let lookup = type.lookup, let kind = lookup.kind(name) else {
                return nil
            }
            var reply = StoreReply(provider: provider, kind: kind)
            guard let store = opened[provider] else {
                reply.problem = "this server serves none of your apps there (\(type.appSetting))"
                return lookup.isTypical(name) ? reply : nil
            }
            guard lookupLimit.admit(now: clock.now()) else {
                reply.problem = "there were too many questions in this minute; try again in the next one"
                return reply
            }
            do throws(StoreAPIError) {
                guard let found = try store.find(name, now: clock.now()) else {
                    reply.problem = "Paycast can ask only with \(lookup.key), which is not set"
                    return reply
                }
                reply.found = found
            } catch {
                reply.problem = error.reason
            }
            return reply
        }
    }

    /// Whether a store could be asked about such a name at all.
    func isForStores(_ name: String) -> Bool {
        stores.contains { provider in
            guard let lookup = storeTypes[provider]?.lookup else { return false }
            return opened[provider] == nil ? lookup.isTypical(name) : lookup.kind(name) != nil
        }
    }
}

extension LookupAnswer {
    init(_ reply: StoreReply, isKnown: (FoundPurchase) -> Bool) {
        self.init(
            provider: reply.provider.rawValue,
            kind: reply.kind,
            problem: reply.problem,
            purchases: reply.found.map { found in
                Found(
                    name: found.name,
                    known: isKnown(found),
                    environment: found.environment?.rawValue,
                    product: found.product,
                    transaction: found.charge,
                    purchasedAt: found.boughtAt?.iso8601,
                    revokedAt: found.revokedAt?.iso8601,
                    price: found.price,
                    currency: found.currency
                )
            }
        )
    }
}

extension StoreAPIError {
    /// For somebody who waits for the answer: nobody asks again.
    fileprivate var reason: String {
        switch self {
        case .unavailable(let reason, _): "it does not answer (\(reason))"
        case .unauthorized(let reason), .refused(_, _, let reason), .unreadable(let reason), .notYetKnown(let reason):
            reason
        }
    }
}
