public import APIModel
public import Domain
import Encoding

/// What Apple asks with a CONSUMPTION_REQUEST: the purchase whose money a customer wants back. It is kept in the job that
/// waits for an answer, and with the answer in the job that sends it.
public struct AppleRefundRequest: Sendable, Equatable {
    /// Apple reads no answer after that
    /// (https://developer.apple.com/documentation/appstoreserverapi/send-consumption-information).
    static let term = Duration.seconds(12 * 3600)

    public var product: String
    /// Apple itself knows how much of a subscription is used up.
    public var isSubscription: Bool
    public var purchasedAt: Instant
    /// In thousandths of the currency's unit.
    public var price: Int64?
    public var currency: String?
    /// Apple's word for why the customer wants it: `UNINTENDED_PURCHASE`, `OTHER` …; an open set.
    public var reason: String?
    /// The body that Apple gets; nil until somebody has answered.
    var answer: String?

    /// Nil for any other event, and for a question that nobody can answer in time any more.
    static func job(of event: Event, reason: String?, now: Instant) -> Job? {
        guard event.kind == .refundRequested, let observation = event.observation, let charge = observation.transaction,
            event.signedAt + term > now
        else { return nil }
        let request = AppleRefundRequest(
            product: charge.product,
            isSubscription: observation.kind == .subscription,
            purchasedAt: charge.purchasedAt,
            price: charge.price,
            currency: charge.currency,
            reason: reason
        )
        var job = Job(
            kind: .refundRequest,
            provider: .apple,
            environment: event.environment,
            app: event.app,
            subject: charge.id
        )
        job.detail = request.detail
        job.deadline = event.signedAt + term
        return job
    }

    /// Nil if the job is neither.
    public init?(_ job: Job) {
        guard [.refundRequest, .consumption].contains(job.kind),
            let document = StoreObject(job.detail.flatMap { JSONNode(Array($0.utf8)) }),
            let product = document.text("product"), let purchasedAt = document.integer("purchasedAt")
        else { return nil }
        self.init(
            product: product,
            isSubscription: document.flag("isSubscription") ?? false,
            purchasedAt: Instant(milliseconds: purchasedAt),
            price: document.integer("price"),
            currency: document.text("currency"),
            reason: document.text("reason")
        )
        answer = document["answer"]?.text
    }

    /// For the job that sends it.
    public func answered(by information: ConsumptionInformation) throws(RefusedBody) -> String {
        var request = self
        request.answer = try information.body(for: self)
        return request.detail
    }

    private init(
        product: String,
        isSubscription: Bool,
        purchasedAt: Instant,
        price: Int64?,
        currency: String?,
        reason: String?
    ) {
        self.product = product
        self.isSubscription = isSubscription
        self.purchasedAt = purchasedAt
        self.price = price
        self.currency = currency
        self.reason = reason
    }

    private var detail: String {
        let document: WireJSON = [
            "product": .text(product), "isSubscription": .flag(isSubscription),
            "purchasedAt": .number(purchasedAt.milliseconds), "price": price.map { .number($0) },
            "currency": currency.map { .text($0) }, "reason": reason.map { .text($0) },
            "answer": answer.map { .text($0) },
        ]
        return String(decoding: document.bytes, as: UTF8.self)
    }
}
