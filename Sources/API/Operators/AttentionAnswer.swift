public import APIModel
public import Domain
import Ledger
import Pages
import Stores

extension Services {
    /// `GET /attention`: what an operator should look at.
    func attention() -> Answer {
        .later { [self] reply in
            ask({ [hooks] in try $0.attention(of: hooks.addresses.map(\.address)) }, for: reply) { [self] found in
                reply.send(
                    busyUnless: readiness { [self] readiness in
                        reply.send(JSON.response(200, body: answer(found, readiness)))
                    }
                )
            }
        }
    }

    private func answer(_ found: Attention, _ readiness: Readiness) -> AttentionAnswer {
        AttentionAnswer(
            node: node,
            refused: refused.newest,
            unclaimedContracts: found.unclaimedContracts,
            unclaimed: found.unclaimed.map { FeedItem($0, epoch: epoch) },
            quarantined: found.quarantined.map { FeedItem($0, epoch: epoch) },
            jobs: found.jobs.map(AttentionAnswer.Job.init),
            refunds: found.refunds.compactMap { AttentionAnswer.Refund($0, epoch: epoch) },
            hooks: shown(found.hooks).filter { !["ok", "held"].contains($0.state) },
            failedHooks: found.failedHooks.map { delivery in
                var delivery = delivery
                // Who was erased is nowhere but in the message itself.
                if delivery.type == .userErased { delivery.user = "" }
                return shown(delivery)
            },
            paidTwice: found.doublePayments.map(PaidTwice.init),
            unlisted: found.unlisted.map {
                AttentionAnswer.Unlisted(
                    product: $0.product.product,
                    provider: $0.product.provider.rawValue,
                    users: $0.users
                )
            },
            problems: readiness.problems,
            warnings: readiness.warnings,
            ledger: readiness.ledger
        )
    }
}

/// Answers `GET /attention`: what an operator should look at.
public struct AttentionAnswer: Codable, Sendable, Equatable {
    /// A webhook that this node did not take. Its body is not kept.
    public struct Refused: Codable, Sendable, Equatable {
        /// ISO 8601, UTC.
        public var at: String
        /// Where it was posted.
        public var route: String
        /// The address that it came from; null if it is not known.
        @Nullable public var client: String?
        /// The error's code.
        public var reason: String
        /// What to do: one sentence.
        public var message: String
        /// The setting to compare with what the store has; null for what does not look like the store's.
        @Nullable public var setting: String?
        /// The length of its body; 0 if none was stated.
        public var bytes: Int
    }

    /// A product that users have, and of which the catalog does not say what it opens.
    public struct Unlisted: Codable, Sendable, Equatable {
        /// By the store's id.
        public var product: String
        public var provider: String
        /// How many users wait for it; 1001 for more than a thousand.
        public var users: Int
    }

    /// What a store or a staging server is to be told, and perhaps cannot.
    public struct Job: Codable, Sendable, Equatable {
        /// A `Job.Kind`.
        public var kind: String
        public var provider: String
        public var environment: String
        /// A transaction id, a purchase token, or an address without its query.
        public var subject: String
        /// The attempts that have failed.
        public var attempts: Int
        public var queuedAt: String
        /// After this time it is too late: ISO 8601, UTC.
        @Nullable public var deadline: String?
        /// Why the last attempt failed.
        @Nullable public var reason: String?
        /// When it was given up; null while it waits.
        @Nullable public var abandonedAt: String?

        init(_ troubled: TroubledJob) {
            let job = troubled.job
            kind = job.kind.rawValue
            provider = job.provider.rawValue
            environment = job.environment.rawValue
            subject = job.kind == .forward ? String(job.subject.prefix { $0 != "?" }) : job.subject
            attempts = troubled.attempts
            queuedAt = troubled.queuedAt.iso8601
            deadline = job.deadline?.iso8601
            reason = troubled.reason
            abandonedAt = troubled.abandonedAt?.iso8601
        }
    }

    /// What Apple asks about a refund, and nobody has answered, or Apple refused the answer: `POST /refunds/apple/{transaction}`
    /// answers. `GET /refunds/apple/{transaction}` has the one.
    public struct Refund: Codable, Sendable, Equatable {
        public var transaction: String
        public var environment: String
        /// The bundle id.
        public var app: String
        /// Who has the purchase; null if nobody is known.
        @Nullable public var user: UserID?
        public var product: String
        /// Whether it is a subscription, of which Apple itself counts what is used.
        public var isSubscription: Bool
        /// The amount, in thousandths of the currency's unit: 9990 is 9.99.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
        /// ISO 8601, UTC.
        public var purchasedAt: String
        /// Why the customer wants it, in Apple's word: `UNINTENDED_PURCHASE`, `OTHER` …; null if Apple does not say.
        @Nullable public var reason: String?
        public var askedAt: String
        /// After this time Apple reads no answer.
        public var deadline: String
        /// The event that asked.
        public var cursor: String
        /// Why Apple refused the last answer; null if none was given.
        @Nullable public var refusal: String?

        /// Nil for what the ledger cannot read.
        init?(_ question: RefundQuestion, epoch: String) {
            guard let request = AppleRefundRequest(question.job), let end = question.job.deadline else { return nil }
            transaction = question.job.subject
            environment = question.job.environment.rawValue
            app = question.job.app
            user = question.user
            product = request.product
            isSubscription = request.isSubscription
            price = request.price
            currency = request.currency
            purchasedAt = request.purchasedAt.iso8601
            reason = request.reason
            askedAt = question.askedAt.iso8601
            deadline = end.iso8601
            cursor = Cursor(epoch: epoch, position: question.position).description
            refusal = question.refusal
        }
    }

    /// The node that answers: what was refused is its own.
    public var node: String
    /// The newest 500 since its start, newest first.
    public var refused: [Refused]
    /// The contracts that nobody has.
    public var unclaimedContracts: Int
    /// The newest events about such contracts, newest first.
    public var unclaimed: [FeedItem]
    /// The newest events that contradict an order, newest first.
    public var quarantined: [FeedItem]
    public var jobs: [Job]
    /// The most urgent first.
    public var refunds: [Refund]
    /// Those of the backend's addresses that fail.
    public var hooks: [HooksAnswer.Hook]
    /// The newest messages to the backend that were given up.
    public var failedHooks: [HookDeliveriesAnswer.Delivery]
    /// The first fifty, by their ids.
    public var paidTwice: [PaidTwice] = []
    /// The first fifty. They open nothing until the catalog names them.
    public var unlisted: [Unlisted]
    /// As `/ready` has them.
    public var problems: [String]
    public var warnings: [String]
    /// Left out unless other nodes may share the ledger.
    public var ledger: SharedLedgerAnswer?
}
