internal import AppleStore
internal import Domain
internal import HTTPMessages
internal import StoreInterface

/// Reads a receipt from the best available source. It may block on a request to Apple.
struct ReceiptReader {
    struct Reading {
        enum Source: String {
            /// Apple answered.
            case store
            /// The receipt's own signature proves it.
            case receipt
            /// Only the holder of the API key vouches for it.
            case verifyReceipt = "verify_receipt"
        }

        var source: Source
        var events: [Event]
        /// True if the poster has more than an id: ids are not secret, and anyone can write one into a receipt.
        var isProof = true
    }

    var apple: AppleServices
    var now: Instant

    func read(_ content: ReceiptBody.Content, kept body: [UInt8]) throws(RefusedReceipt) -> Reading {
        switch content {
        case .receipt(let receipt):
            if let events = try ask(about: receipt) {
                let isProof = (try? apple.receipts.verify(receipt, now: now)) != nil
                return Reading(source: .store, events: events, isProof: isProof)
            }
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

    /// Apple's own statements. The newest purchase comes last, and after it the status of its subscription. Returns nil
    /// if there is no way to ask Apple, or if Apple does not know the transaction.
    private func ask(about receipt: [UInt8]) throws(RefusedReceipt) -> [Event]? {
        guard let lookup = apple.lookup, let clue = apple.receipts.clue(in: receipt) else { return nil }
        do throws(AppleLookupError) {
            let events = try lookup.statements(behind: clue, now: now)
            return events.isEmpty ? nil : events.sorted { $0.precedes($1) }
        } catch .unreachable(let reason) {
            throw RefusedReceipt(.storeUnreachable, detail: reason)
        } catch {
            return nil
        }
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

extension Event {
    fileprivate func precedes(_ other: Event) -> Bool {
        guard let left = observation?.transaction, let right = other.observation?.transaction else { return false }
        guard left.purchasedAt == right.purchasedAt else { return left.purchasedAt < right.purchasedAt }
        return observation?.snapshot == nil && other.observation?.snapshot != nil
    }
}

/// Why a receipt is rejected.
struct RefusedReceipt: Error {
    var code: String
    /// For the log.
    var detail: String?
    var response: Response

    init(_ error: VerificationError, detail: String? = nil) {
        code = error.code
        self.detail = detail
        response = .refused(error)
    }

    /// 503 asks for a retry. 422 means that the request is fine, but the answer that Apple gave back then is not.
    init(_ problem: VerifyReceiptProblem) {
        if case .refused(let error) = problem {
            self.init(error)
        } else if problem.isRetryable {
            self.init(problem.code, response: .unavailable(problem.code, message: problem.message, retryAfter: 60))
        } else {
            self.init(problem.code, response: .error(422, code: problem.code, message: problem.message))
        }
    }

    private init(_ code: String, response: Response) {
        self.code = code
        self.response = response
    }

    /// Nothing in such a receipt has a signature that we can check here.
    static let ofIOS6 = RefusedReceipt(
        "store_api_needed",
        response: .error(
            422,
            code: "store_api_needed",
            message:
                "Only Apple can tell of a receipt of iOS 6, and was not asked or knows nothing: set "
                + "PAYCAST_APPLE_API_KEY."
        )
    )
}
