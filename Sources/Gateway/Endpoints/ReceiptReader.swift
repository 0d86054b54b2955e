internal import Domain
internal import Providers

/// What a receipt says, asked of whoever knows best. It may wait for Apple.
struct ReceiptReader {
    struct Reading {
        enum Source: String {
            /// Apple was asked.
            case store
            /// The receipt's own signature.
            case receipt
            /// Nobody but the holder of the API key.
            case verifyReceipt = "verify_receipt"
        }

        var source: Source
        var events: [Event]
    }

    var apple: AppleServices
    var now: Instant

    func read(_ content: ReceiptBody.Content, kept body: [UInt8]) throws(RefusedReceipt) -> Reading {
        switch content {
        case .receipt(let receipt):
            if let events = try ask(about: receipt) { return Reading(source: .store, events: events) }
            return Reading(source: .receipt, events: try prove(receipt))
        case .answer(let answer, let environment):
            do throws(VerifyReceiptProblem) {
                let events = try apple.receipts.migrate(answer, environment: environment, body: body, now: now)
                return Reading(source: .verifyReceipt, events: events)
            } catch {
                throw RefusedReceipt(error)
            }
        }
    }

    /// Apple's own statements; nil when nobody can be asked, or Apple knows nothing of it.
    private func ask(about receipt: [UInt8]) throws(RefusedReceipt) -> [Event]? {
        guard let statements = apple.statements, let clue = ReceiptClue(unproven: receipt) else { return nil }
        for environment in clue.environment.map({ [$0] }) ?? [.production, .sandbox] {
            do throws(AppleStatementsError) {
                let events = try statements.statements(behind: clue.transactionID, in: environment, now: now)
                if !events.isEmpty { return events }
            } catch .unreachable {
                throw RefusedReceipt(.storeUnreachable)
            } catch {
                continue
            }
        }
        return nil
    }

    private func prove(_ receipt: [UInt8]) throws(RefusedReceipt) -> [Event] {
        guard !ReceiptClue.isPropertyList(receipt) else { throw .ofIOS6 }
        do throws(VerificationError) {
            return try apple.receipts.verify(receipt, now: now)
        } catch {
            throw RefusedReceipt(error)
        }
    }
}

/// Why a receipt is not taken.
struct RefusedReceipt: Error {
    var code: String
    var response: Response

    init(_ error: VerificationError) {
        code = error.code
        response = .refused(error)
    }

    /// 422: the request is fine, what Apple answered then is not. 503: ask again.
    init(_ problem: VerifyReceiptProblem) {
        if case .refused(let error) = problem {
            self.init(error)
        } else if problem.isRetryable {
            self.init(problem.code, .unavailable(problem.code, problem.message, retryAfter: 60))
        } else {
            self.init(problem.code, .error(422, problem.code, problem.message))
        }
    }

    private init(_ code: String, _ response: Response) {
        (self.code, self.response) = (code, response)
    }

    /// Nothing in it is signed in a way that can be checked here.
    static let ofIOS6 = RefusedReceipt(
        "store_api_needed",
        .error(
            422,
            "store_api_needed",
            "Receipts of iOS 6 can only be looked up at Apple: set PAYCAST_APPLE_API_KEY, or post a newer receipt."
        )
    )
}
