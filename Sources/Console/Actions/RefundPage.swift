import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Stores
import Support

/// `/console/refunds/{transaction}`: answers what Apple asks before it gives a customer's money back.
struct RefundPage: ConsolePage {
    let transaction: String

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        try visit.session.require(.act)
        return try page(visit, form: visit.query, status: 200, note: nil)
    }

    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response {
        try visit.session.require(.act)
        do throws(ConsoleError) {
            let body = try RefundPage.body(form)
            let route = Route.refund(transaction: transaction)
            let answer = try visit.api.post(RefundTold.self, to: route, body: body)
            let until = visit.time(answer.deadline)
            return visit.page(RefundPage.title, visit["refund.told"].render(["until": until]))
        } catch {
            guard case .invalid(let text) = error else { throw error }
            return try page(visit, form: form, status: error.status, note: text)
        }
    }

    private static let title = "Answer Apple about a refund"

    /// In people's words; the API has Apple's.
    private static let deliveries: [(value: ConsumptionInformation.Delivery, title: String)] = [
        (.delivered, "it was delivered, and works"), (.qualityIssue, "not delivered: it does not work as it should"),
        (.wrongItem, "not delivered: the wrong item"), (.outage, "not delivered: our server was down"),
        (.otherwise, "not delivered, for another reason"),
    ]
    private static let preferences: [(value: ConsumptionInformation.Preference, title: String)] = [
        (.decline, "keep the money"), (.full, "give all of it back"), (.prorated, "give back what is not used"),
    ]

    private static func body(_ form: Query) throws(ConsoleError) -> RefundAnswerRequest {
        let reason = trimmed(form["reason"] ?? "")
        guard !reason.isEmpty else {
            throw .invalid("Write why you answer so: whoever asks later reads it in the audit.")
        }
        var body = RefundAnswerRequest(
            customerConsented: form["consent"] == "yes",
            deliveryStatus: form["delivery"] ?? "",
            sampleContentProvided: form["sample"] == "yes",
            reason: reason
        )
        body.refundPreference = form["preference"].flatMap { $0.isEmpty ? nil : $0 }
        let used = trimmed(form["used"] ?? "")
        guard !used.isEmpty else { return body }
        guard let percent = Int64(used), (0...100).contains(percent) else {
            throw .invalid("Write what was used as a whole number of percent, from 0 to 100, or leave it empty.")
        }
        body.consumptionPercentage = percent * 1000
        return body
    }

    private func page(_ visit: Visit, form: Query, status: Int, note: String?) throws(ConsoleError) -> Response {
        let asked = try question(visit)
        let used = visit["refund.used"].render(["used": Field(form["used"] ?? "")])
        let deliveries = RefundPage.deliveries.map { (value: $0.value.rawValue, title: $0.title) }
        let preferences = RefundPage.preferences.map { (value: $0.value.rawValue, title: $0.title) }
        let body = visit["refund"].render([
            "title": RefundPage.title, "product": asked.product,
            "price": StoreWords.price(asked.price, currency: asked.currency),
            "transaction": asked.transaction, "user": asked.user.map { visit.templates.user($0) },
            "bought": visit.time(asked.purchasedAt), "why": StoreWords.refund(asked.reason, visit),
            "until": visit.time(asked.deadline), "left": RefundPage.left(asked, visit),
            "refusal": asked.refusal.map { visit["refund.refusal"].render(["why": $0]) },
            "note": note.map { visit["action.note"].render(["text": $0]) },
            "deliveries": visit.options(deliveries, chosen: form["delivery"] ?? ""),
            "preferences": visit.options([("", "say nothing")] + preferences, chosen: form["preference"] ?? ""),
            "used": asked.isSubscription ? .empty : used, "reason": Field(form["reason"] ?? ""),
            "key": visit.session.name,
        ])
        return visit.page(RefundPage.title, status: status, body)
    }

    private func question(_ visit: Visit) throws(ConsoleError) -> AttentionAnswer.Refund {
        do throws(ConsoleError) {
            return try visit.api.get(from: .refund(transaction: transaction))
        } catch {
            guard case .notFound = error else { throw error }
            throw .notFound(
                "Apple asks nothing about this transaction: somebody has answered, Apple has decided, or its twelve hours are over."
            )
        }
    }

    /// `3 h 20 min left`.
    static func left(_ asked: AttentionAnswer.Refund, _ visit: Visit) -> String {
        let seconds = asked.deadline.instant.map { $0.elapsed(since: visit.now).components.seconds } ?? 0
        let minutes = max(0, seconds / 60)
        return minutes < 60 ? "\(minutes) min left" : "\(minutes / 60) h \(minutes % 60) min left"
    }
}

/// What the API answers, as far as the page needs it.
private struct RefundTold: Decodable {
    var deadline: String?
}
