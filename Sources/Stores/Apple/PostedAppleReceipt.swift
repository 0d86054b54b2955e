import APIModel
import Domain
import Encoding

/// `POST /receipts/apple`: a receipt that an old version of an app holds, or Apple's answer that the app's backend
/// stored: `{"receipt": base64}` or `{"verifyReceipt": {…}, "environment"?}`.
struct PostedAppleReceipt: PostedPurchase {
    private enum Content {
        case receipt([UInt8])
        /// `body` is what the ledger stores.
        case answer(JSONNode, StoreEnvironment?, body: [UInt8])
    }

    static let refusal: StaticString = "receipt refused"

    private let content: Content

    func asks(_ store: OpenAppleStore) -> Bool { store.serverAPI != nil }

    /// Apple does not sign its answer.
    var isVouchedOnly: Bool { if case .answer = content { true } else { false } }

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        switch (try RefusedBody.string("receipt", of: body), body["verifyReceipt"]) {
        case (let text?, nil): content = .receipt(try PostedAppleReceipt.receipt(text))
        case (nil, let answer?) where answer.isObject:
            content = .answer(answer, try PostedAppleReceipt.environment(of: body), body: bytes)
        case (nil, .some): throw RefusedBody.mistyped("verifyReceipt", expected: "Apple's answer, a JSON object")
        case (nil, nil), (.some, .some):
            throw RefusedBody("missing_receipt", message: "Send {\"receipt\":BASE64} or {\"verifyReceipt\":ANSWER}.")
        }
    }

    /// Apps wrap the lines of their Base64, so line breaks are removed.
    private static func receipt(_ text: String) throws(RefusedBody) -> [UInt8] {
        guard let bytes = Base64.decode(text.utf8.filter { $0 != 13 && $0 != 10 }), !bytes.isEmpty else {
            throw RefusedBody("invalid_receipt", message: "receipt must be the Base64 of an App Store receipt.")
        }
        return bytes
    }

    private static func environment(of body: JSONNode) throws(RefusedBody) -> StoreEnvironment? {
        guard let name = try RefusedBody.string("environment", of: body) else { return nil }
        guard let environment = StoreEnvironment.ofStores.first(where: { $0.rawValue == name }) else {
            throw RefusedBody("invalid_environment", message: "environment must be Production or Sandbox.")
        }
        return environment
    }

    /// Reads the best available source.
    func read(with store: OpenAppleStore, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        switch content {
        case .receipt(let receipt): return try read(receipt, with: store, now: now)
        case .answer(let answer, let environment, let body):
            let events = try store.apple.migrate(answer, environment: environment, body: body, now: now)
            return PurchaseReading(source: .verifyReceipt, events: events)
        }
    }

    /// What the receipt's own signature proves is given at once if Apple does not answer, and Apple is asked later.
    private func read(
        _ receipt: [UInt8],
        with store: OpenAppleStore,
        now: Instant
    ) throws(RefusedPurchase) -> PurchaseReading {
        let proof = Result { () throws(VerificationError) in try store.apple.verify(receipt: receipt, now: now) }
        let proven = try? proof.get()
        if let proven, store.serverAPI != nil, store.isSilent() { return .untilAppleAnswers(proven) }
        do throws(RefusedPurchase) {
            if let events = try ask(store, about: receipt, now: now) {
                return PurchaseReading(source: .store, events: events, isProof: proven != nil)
            }
        } catch .unproven(.storeUnreachable, _) where proven != nil {
            return .untilAppleAnswers(proven ?? [])
        }
        // Nothing in a receipt of iOS 6 has a signature that we can check here.
        guard !ReceiptClue.isPropertyList(receipt) else { throw .ofIOS6 }
        do throws(VerificationError) {
            return PurchaseReading(source: .receipt, events: try proof.get())
        } catch {
            throw .unproven(error)
        }
    }

    /// Apple's own statements about everything that the buyer behind one transaction id has bought. The newest purchase
    /// comes last, and after it the status of its subscription. Returns nil if Apple cannot be asked, and the receipt is
    /// judged by its own content: without a key, with one that Apple does not accept (Production, before the first
    /// release), or about an id that Apple does not know. A clue that names no app may belong to any of them.
    private func ask(
        _ store: OpenAppleStore,
        about receipt: [UInt8],
        now: Instant
    ) throws(RefusedPurchase) -> [Event]? {
        guard let api = store.serverAPI, let clue = store.apple.clue(in: receipt) else { return nil }
        for app in clue.app.map({ [$0] }) ?? store.apps {
            do throws(StoreAPIError) {
                let events = try api.of(app).statements(of: clue.transactionID, in: clue.environment, now: now)
                return events.isEmpty ? nil : events.sorted { $0.precedes($1) }
            } catch {
                switch error {
                case .unauthorized, .refused: continue
                case .unavailable, .unreadable, .notYetKnown:
                    throw .unproven(.storeUnreachable(error.silence), detail: error.description)
                }
            }
        }
        return nil
    }
}

extension Event {
    fileprivate func precedes(_ other: Event) -> Bool {
        guard let left = observation?.transaction, let right = other.observation?.transaction else { return false }
        guard left.purchasedAt == right.purchasedAt else { return left.purchasedAt < right.purchasedAt }
        return observation?.snapshot == nil && other.observation?.snapshot != nil
    }
}

extension PurchaseReading {
    /// With a job for each purchase that asks Apple about it: a receipt does not know of a later refund.
    fileprivate static func untilAppleAnswers(_ proven: [Event]) -> PurchaseReading {
        let events = proven.map { event in
            guard let key = event.observation?.contract, key.environment != .xcode else { return event }
            var event = event
            event.jobs = [
                Job(kind: .ask, provider: .apple, environment: key.environment, app: key.app, subject: key.lineage)
            ]
            return event
        }
        return PurchaseReading(source: .receipt, events: events)
    }
}

extension RefusedPurchase {
    fileprivate static let ofIOS6 = RefusedPurchase.unusable(
        code: "store_api_needed",
        message:
            "Only Apple can tell of a receipt of iOS 6, and was not asked or knows nothing: set PAYCAST_APPLE_API_KEY.",
        isRetryable: false
    )
}
