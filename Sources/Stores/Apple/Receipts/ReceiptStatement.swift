import Crypto
import Domain
import Encoding

/// Turns the purchases of a receipt into events, one for each contract.
struct ReceiptStatement {
    let receipt: AppReceipt
    let place: ApplePlace
    let signedAt: Instant
    let catalog: Catalog
    let body: [UInt8]

    /// Oldest purchase first. Without any purchase, returns a single event that says nothing.
    func events() throws(VerificationError) -> [Event] {
        var newest: [String: (purchase: ReceiptPurchase, transaction: Transaction)] = [:]
        for purchase in receipt.purchases {
            let (lineage, transaction) = try transaction(purchase)
            // A subscription's newest period counts, wherever it is listed.
            if let known = newest[lineage], !known.transaction.precedes(transaction) { continue }
            newest[lineage] = (purchase, transaction)
        }
        guard !newest.isEmpty else { return [event("", kind: .providerUnknown, observation: nil)] }
        return newest.sorted { $0.value.transaction.precedes($1.value.transaction) }.map { lineage, found in
            let observation = observation(found.purchase, transaction: found.transaction, lineage: lineage)
            let facts = found.transaction.versionText + "/" + (receipt.renewals[lineage]?.versionText ?? "")
            let (isRenewal, isRevoked) = (!observation.isPurchase, found.transaction.revokedAt != nil)
            let kind = EventKind(ofApple: observation.kind, isRenewal: isRenewal, isRevoked: isRevoked)
            return event(facts, kind: kind, observation: observation)
        }
    }

    private func transaction(_ purchase: ReceiptPurchase) throws(VerificationError) -> (lineage: String, Transaction) {
        guard let product = purchase.product, let id = purchase.transactionID, let purchasedAt = purchase.purchasedAt
        else { throw .malformed(.invalidReceipt) }
        let lineage = purchase.originalTransactionID ?? id
        guard isValidIdentifier(product), isValidIdentifier(id), isValidIdentifier(lineage),
            purchase.group.map({ isValidIdentifier($0) }) ?? true
        else { throw .malformed(.invalidReceipt) }
        var charge = Transaction(id: id, product: product, purchasedAt: purchasedAt, signedAt: signedAt)
        charge.expiresAt = purchase.expiresAt
        charge.revokedAt = purchase.cancelledAt
        charge.isUpgraded = purchase.isUpgraded
        charge.isTrial = purchase.isTrial
        charge.quantity = max(1, Int(clamping: purchase.quantity ?? 1))
        return (lineage, charge)
    }

    private func observation(_ purchase: ReceiptPurchase, transaction: Transaction, lineage: String) -> Observation {
        let kind = productKind(purchase.productType, of: transaction)
        var observation = Observation(contract: place.key(lineage), kind: kind)
        observation.group = purchase.group
        observation.token = purchase.token
        observation.isFamilyShared = purchase.isFamilyShared
        // Only the first period of a lineage is certainly not a renewal.
        observation.isPurchase = transaction.id == lineage
        observation.transaction = transaction
        observation.snapshot = kind == .subscription ? receipt.renewals[lineage]?.snapshot(of: transaction) : nil
        if !observation.isFamilyShared {
            let terms = ChargeTerms(transaction, order: purchase.token)
            let refund = Charge.Refund(at: transaction.revokedAt, statedAt: transaction.signedAt)
            observation.charges = [Charge(id: transaction.id, terms: terms, refund: refund)]
        }
        return observation
    }

    /// If the receipt does not state a kind, the catalog does. Otherwise a product that expires is a subscription, and
    /// one that stays in a receipt forever is not a consumable.
    private func productKind(_ type: Int64?, of transaction: Transaction) -> ProductKind {
        switch type {
        case 0: .nonConsumable
        case 1: .consumable
        case 2: .nonRenewing
        case 3: .subscription
        default: catalog[transaction.product]?.kind ?? (transaction.expiresAt == nil ? .nonConsumable : .subscription)
        }
    }

    private func event(_ facts: String, kind: EventKind, observation: Observation?) -> Event {
        let version = "\(place.environment.rawValue)/\(place.app)/\(signedAt.milliseconds)/\(facts)"
        return Event(
            provider: .apple,
            environment: place.environment,
            app: place.app,
            id: receipt.source.rawValue.lowercased() + ":" + Hex.encode(SHA256.hash(Array(version.utf8))),
            type: receipt.source.rawValue,
            kind: kind,
            signedAt: signedAt,
            observation: observation,
            body: body
        )
    }
}

extension Transaction {
    /// The ledger's order: the later charge counts.
    fileprivate func precedes(_ other: Transaction) -> Bool {
        (purchasedAt, id) < (other.purchasedAt, other.id)
    }

    /// Everything that it states, in one line.
    fileprivate var versionText: String {
        let dates = [purchasedAt, expiresAt, revokedAt].map { $0.map { String($0.milliseconds) } ?? "-" }
        return ([id, product, String(quantity)] + dates + (isTrial ? ["trial"] : [])).joined(separator: "/")
    }
}

/// An item of `pending_renewal_info`: what Apple said about the next period, at one instant.
struct StoredRenewal {
    var renews: Bool
    var nextProduct: String?
    var isInBillingRetry: Bool
    var graceUntil: Instant?
    /// The date of that statement.
    var asOf: Instant

    /// The state of the subscription, from the renewal and its transaction.
    func snapshot(of transaction: Transaction) -> Snapshot {
        let state = state(transaction)
        let end = transaction.revokedAt ?? (state == .inGracePeriod ? graceUntil : transaction.expiresAt)
        return Snapshot(
            state: state,
            product: transaction.product,
            pendingProduct: renews && nextProduct != transaction.product ? nextProduct : nil,
            autoRenew: renews,
            accessUntil: end,
            signedAt: asOf,
            isTrial: transaction.isTrial
        )
    }

    private func state(_ transaction: Transaction) -> ContractState {
        if transaction.revokedAt != nil { return .revoked }
        guard let end = transaction.expiresAt, end <= asOf else { return renews ? .active : .cancelled }
        if let graceUntil, asOf < graceUntil { return .inGracePeriod }
        return isInBillingRetry ? .inBillingRetry : .expired
    }

    var versionText: String {
        "\(renews)/\(nextProduct ?? "-")/\(isInBillingRetry)/\(graceUntil?.milliseconds ?? 0)"
    }
}
