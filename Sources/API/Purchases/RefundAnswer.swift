import APIModel
import Domain
import Ledger
import Pages
import Stores
import Support

extension Services {
    /// `GET /refunds/apple/{id}`: what Apple asks about a transaction, as `refunds` of `GET /attention` has it.
    func refundQuestion(_ transaction: String) -> Answer {
        answer(asking: { try $0.openRefundQuestion(about: transaction, at: .apple) }) { [epoch] found in
            let asked = found.flatMap { AttentionAnswer.Refund($0, epoch: epoch) }
            return asked.map { JSON.response(200, body: $0) } ?? Services.unknownRefundRequest
        }
    }

    /// `POST /refunds/apple/{id}`: tells Apple what a customer has used of a purchase before Apple decides whether the money goes back,
    /// with the customer's consent only. It is sent after the commit, and again until Apple has it or would not read it any more.
    func refund(_ transaction: String, _ request: Request) throws(RefusedBody) -> Answer {
        guard opened[.apple]?.api != nil else { return .respond(Services.noAppleKey) }
        let node = try RefusedBody.object(request.body)
        let information = try ConsumptionInformation(node)
        let reason = try RefusedBody.string("reason", of: node)
        try RefusedBody.check(reason: reason, about: nil)
        let act = act(.refund, of: request, user: nil, reason: reason)
        return .later { [self] reply in
            ask({ try $0.refundQuestion(about: transaction, at: .apple) }, for: reply) { [self] found in
                guard let question = found else { return reply.send(Services.unknownRefundRequest) }
                answer(question, information, act: act, reply: reply)
            }
        }
    }

    private func answer(_ question: RefundQuestion, _ information: ConsumptionInformation, act: Act, reply: Reply) {
        let text: String
        do throws(RefusedBody) {
            try RefusedBody.check(reason: act.reason, about: question.user)
            guard let asked = AppleRefundRequest(question.job) else { return reply.send(Services.unknownRefundRequest) }
            text = try asked.answered(by: information)
        } catch {
            return reply.send(error.response)
        }
        let (transaction, act) = (question.job.subject, question.user.map { act.about($0) } ?? act)
        let command = LedgerCommand.answerRefund(of: transaction, at: .apple, text) { result in
            switch result {
            case .success(.queued): reply.send(RefundAnswer.response(question, state: .waiting))
            case .success(.repeated(let state)): reply.send(RefundAnswer.response(question, state: state))
            case .success(.otherwise): reply.send(Services.refundAnswered)
            case .success(.notAsked): reply.send(Services.unknownRefundRequest)
            case .failure(let error): reply.send(.uncommitted(because: error))
            }
        }
        reply.send(busyUnless: writer.submit(.audited(command, by: act)))
    }

    private static let noAppleKey = Response.unavailable(
        "not_configured",
        message: "Apple is told by its API: set PAYCAST_APPLE_API_KEY, …_KEY_ID and …_ISSUER_ID.",
        retryAfter: 3600
    )
    private static let unknownRefundRequest = Response.error(
        404,
        code: "unknown_refund_request",
        message:
            "Apple asks nothing about this transaction: it never did, has decided since, or its twelve hours are over."
    )
    private static let refundAnswered = Response.error(
        409,
        code: "refund_answered",
        message: "Somebody has answered otherwise, and Apple gets one answer: GET /audit tells who."
    )
}

/// Answers `POST /refunds/apple/{id}`.
struct RefundAnswer: Codable, Sendable, Equatable {
    var transaction: String
    /// Who has the purchase; null if nobody is known.
    @Nullable var user: UserID?
    /// `waiting` to be sent, or `sent`.
    var state: String
    /// After this time nothing is sent: ISO 8601, UTC.
    @Nullable var deadline: String?

    fileprivate static func response(_ question: RefundQuestion, state: RefundQuestion.State) -> Response {
        let answer = RefundAnswer(
            transaction: question.job.subject,
            user: question.user,
            state: state.rawValue,
            deadline: question.job.deadline?.iso8601
        )
        return JSON.response(202, body: answer)
    }
}
