public import APIModel
import Domain
public import Encoding

/// What the app says of a purchase whose money a customer wants back: the body of `POST /refunds/apple/{id}`, and of Apple's Send
/// Consumption Information (https://developer.apple.com/documentation/appstoreserverapi/consumptionrequest).
public struct ConsumptionInformation: Sendable, Equatable {
    /// https://developer.apple.com/documentation/appstoreserverapi/deliverystatus
    public enum Delivery: String, CaseIterable, Sendable {
        case delivered = "DELIVERED"
        case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        case wrongItem = "UNDELIVERED_WRONG_ITEM"
        case outage = "UNDELIVERED_SERVER_OUTAGE"
        case otherwise = "UNDELIVERED_OTHER"
    }

    /// https://developer.apple.com/documentation/appstoreserverapi/refundpreference
    public enum Preference: String, CaseIterable, Sendable {
        case decline = "DECLINE"
        case full = "GRANT_FULL"
        case prorated = "GRANT_PRORATED"
    }

    var delivery: Delivery
    /// Whether the customer could try it, or read what it does, before buying.
    var hasSample: Bool
    /// What the customer has used, in thousandths of a percent; nil if the app does not say.
    var percentage: Int64?
    var preference: Preference?

    /// Throws unless the customer has agreed that Apple is told.
    public init(_ body: JSONNode) throws(RefusedBody) {
        guard try RefusedBody.flag("customer_consented", of: body) else { throw ConsumptionInformation.noConsent }
        guard let delivery = try ConsumptionInformation.word("delivery_status", of: body, as: Delivery.self) else {
            throw RefusedBody.mistyped("delivery_status", expected: ConsumptionInformation.list(Delivery.self))
        }
        guard let hasSample = body["sample_content_provided"]?.boolean else {
            throw RefusedBody.mistyped("sample_content_provided", expected: "true or false")
        }
        self.delivery = delivery
        self.hasSample = hasSample
        preference = try ConsumptionInformation.word("refund_preference", of: body, as: Preference.self)
        guard let member = body["consumption_percentage"], !member.isNull else { return }
        guard let percentage = member.integer, (0...100_000).contains(percentage) else {
            throw RefusedBody.mistyped(
                "consumption_percentage",
                expected: "a whole number from 0 to 100000, in thousandths of a percent"
            )
        }
        self.percentage = percentage
    }

    /// What Apple gets. Throws for what Apple would refuse of this purchase.
    func body(for request: AppleRefundRequest) throws(RefusedBody) -> String {
        let used = percentage ?? (delivery == .delivered || request.isSubscription ? nil : 0)
        if request.isSubscription, percentage != nil {
            throw ConsumptionInformation.contradiction(
                "Apple itself counts what is used of a subscription: leave consumption_percentage out."
            )
        }
        if delivery != .delivered, used ?? 0 > 0 {
            throw ConsumptionInformation.contradiction(
                "Nothing is used of what was not delivered: send 0 as consumption_percentage, or leave it out."
            )
        }
        if preference == .prorated, !request.isSubscription, used ?? 0 == 0 {
            throw ConsumptionInformation.contradiction(
                "GRANT_PRORATED needs a consumption_percentage above 0, by which Apple counts the rest."
            )
        }
        let document: WireJSON = [
            "customerConsented": true, "deliveryStatus": .text(delivery.rawValue),
            "sampleContentProvided": .flag(hasSample), "consumptionPercentage": used.map { .number($0) },
            "refundPreference": preference.map { .text($0.rawValue) },
        ]
        return String(decoding: document.bytes, as: UTF8.self)
    }

    private static let noConsent = RefusedBody(
        "no_consent",
        message:
            "Apple takes this only with the customer's consent: ask the customer, and send \"customer_consented\": true. "
            + "Nothing was sent.",
        status: 422
    )

    private static func contradiction(_ message: String) -> RefusedBody {
        RefusedBody("invalid_consumption", message: message, status: 422)
    }

    /// Nil without the member.
    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ member: String,
        of body: JSONNode,
        as type: Word.Type
    ) throws(RefusedBody) -> Word? {
        guard let text = try RefusedBody.string(member, of: body) else { return nil }
        guard let word = Word.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) else {
            throw RefusedBody.mistyped(member, expected: list(type))
        }
        return word
    }

    private static func list<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> String {
        "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))"
    }
}
