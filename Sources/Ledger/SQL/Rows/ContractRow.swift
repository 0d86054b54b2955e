import Domain

/// A contract and its row.
struct ContractRow {
    var id: Int64
    var tracked: TrackedContract
    /// True if it has other holders. They are in a table of their own, which is read only if this is true.
    var isShared: Bool

    static let keyColumns = ["provider", "environment", "app", "lineage"]
    /// Written separately from the state, because they rarely change and writing them updates three indexes.
    static let identityColumns = [
        "kind", "user", "user_at", "is_family_shared", "product_group", "product_group_at", "token", "token_at",
        "account", "account_at", "previous_lineage", "previous_lineage_at", "store_user", "store_user_at",
        "order_number", "entitlements", "entitlements_at", "store", "unasked_user", "unasked_at",
    ]
    static let stateColumns = [
        "snapshot_event", "snapshot_state", "snapshot_product", "snapshot_pending_product", "snapshot_auto_renew",
        "snapshot_access_until", "snapshot_signed_at", "snapshot_is_pausing", "snapshot_is_trial",
        "renewal", "renewal_at",
        "charge_event", "charge_id", "charge_product", "charge_purchased_at", "charge_expires_at",
        "charge_revoked_at", "charge_is_upgraded", "charge_is_trial", "charge_option", "charge_quantity",
        "charge_price", "charge_currency",
        "charge_signed_at",
        "state", "product", "pending_product", "access_until", "auto_renew", "is_pausing", "is_trial", "ends_at",
        "is_unlisted",
    ]
    static let columns = (keyColumns + identityColumns + stateColumns).joined(separator: ", ")
    /// The columns that `read` reads.
    static let selection = """
        id, \(columns), CASE WHEN EXISTS (SELECT 1 FROM shares WHERE contract = contracts.id) THEN 1 ELSE 0 END
        """
    /// Everything but consumables, of which a user may have many.
    static let lasting = "kind IN ('subscription', 'non_renewing', 'non_consumable')"
    /// In which a store's texts are unique; `ContractKey.values(first:)` has its values.
    static let scope = "provider = ? AND environment = ? AND app = ?"

    /// Reads a `selection`.
    static func read(_ row: inout Row) throws(EngineError) -> ContractRow {
        let id = row.integer()
        let key = ContractKey(
            provider: try row.word(),
            environment: try row.word(),
            app: row.text(),
            lineage: row.text()
        )
        var contract = Contract(key: key, kind: try row.word())
        let user = row.optionalUser()
        let userAt = row.optionalInstant()
        contract.isFamilyShared = row.flag()
        contract.group = register(row.optionalText(), at: row.instant())
        contract.token = register(row.optionalText().flatMap { OrderToken($0) }, at: row.instant())
        contract.account = register(row.optionalText(), at: row.instant())
        contract.previousLineage = register(row.optionalText(), at: row.instant())
        contract.storeUser = register(row.optionalUser(), at: row.instant())
        // The charge says it as well.
        row.skip()
        contract.entitlements = register(row.optionalText(), at: row.instant())
        contract.store = row.optionalText()
        let unaskedUser = row.optionalUser()
        let unaskedAt = row.optionalInstant()
        contract.snapshot = try SnapshotRegister(&row)
        contract.renewal = register(row.optionalFlag(), at: row.instant())
        contract.transaction = ChargeRegister(&row)
        let status = try ContractStatus(&row)
        var tracked = TrackedContract(contract: contract, status: status, endsAt: row.optionalInstant())
        tracked.user = user
        tracked.userAt = userAt
        if let unaskedUser, let unaskedAt {
            tracked.unasked = .unasked(by: unaskedUser, at: unaskedAt)
        }
        tracked.isUnlisted = row.flag()
        return ContractRow(id: id, tracked: tracked, isShared: row.flag())
    }

    private static func register<Stated>(_ value: Stated?, at signedAt: Instant) -> Register<Stated>? {
        value.map { Register($0, at: signedAt) }
    }
}

/// The values to write, in the order of `ContractRow`'s lists of columns.
extension TrackedContract {
    var keyValues: [Value] { [Value(key.provider), Value(key.environment), .text(key.app), .text(key.lineage)] }

    var identityValues: [Value] {
        [
            Value(contract.kind), Value(user), Value(userAt), Value(contract.isFamilyShared),
            Value(contract.group?.value), Value(contract.group?.signedAt),
            Value(contract.token?.value.description), Value(contract.token?.signedAt),
            Value(contract.account?.value), Value(contract.account?.signedAt),
            Value(contract.previousLineage?.value), Value(contract.previousLineage?.signedAt),
            Value(contract.storeUser?.value), Value(contract.storeUser?.signedAt),
            Value(orderNumber), Value(contract.entitlements?.value), Value(contract.entitlements?.signedAt),
            Value(contract.store), Value(unasked?.user), Value(unasked?.at),
        ]
    }

    var stateValues: [Value] {
        let snapshot = contract.snapshot?.snapshot
        let charge = contract.transaction?.transaction
        return [
            Value(contract.snapshot?.event), Value(snapshot?.state), Value(snapshot?.product),
            Value(snapshot?.pendingProduct), Value(snapshot?.autoRenew), Value(snapshot?.accessUntil),
            Value(snapshot?.signedAt), Value(snapshot?.isPausing), Value(snapshot?.isTrial),
            Value(contract.renewal?.value), Value(contract.renewal?.signedAt),
            Value(contract.transaction?.event), Value(charge?.id), Value(charge?.product), Value(charge?.purchasedAt),
            Value(charge?.expiresAt), Value(charge?.revokedAt), Value(charge?.isUpgraded),
            Value(charge?.isTrial), Value(charge?.option),
            Value(charge.map { Int64($0.quantity) }), Value(charge?.price), Value(charge?.currency),
            Value(charge?.signedAt),
            Value(status.state), .text(status.product), Value(status.pendingProduct), Value(status.accessUntil),
            Value(status.autoRenew), Value(status.isPausing), Value(status.isTrial), Value(endsAt),
            Value(isUnlisted),
        ]
    }

    /// True if `other` differs in a value of the identity columns.
    func hasOtherIdentity(than other: TrackedContract) -> Bool {
        contract.kind != other.contract.kind || user != other.user || userAt != other.userAt
            || contract.storeUser != other.contract.storeUser
            || contract.isFamilyShared != other.contract.isFamilyShared
            || contract.group != other.contract.group || contract.token != other.contract.token
            || contract.account != other.contract.account
            || contract.previousLineage != other.contract.previousLineage
            || orderNumber != other.orderNumber || contract.entitlements != other.contract.entitlements
            || contract.store != other.contract.store || unasked != other.unasked
    }

    private var orderNumber: String? { contract.transaction?.transaction.orderNumber }
}

extension SnapshotRegister {
    /// Nil when the contract has none.
    fileprivate init?(_ row: inout Row) throws(EngineError) {
        if row.skips(9) { return nil }
        let event = row.text()
        let snapshot = Snapshot(
            state: try row.word(),
            product: row.text(),
            pendingProduct: row.optionalText(),
            autoRenew: row.optionalFlag(),
            accessUntil: row.optionalInstant(),
            signedAt: row.instant(),
            isPausing: row.flag(),
            isTrial: row.flag()
        )
        self.init(snapshot, event: event)
    }
}

extension ChargeRegister {
    /// Nil when the contract has none.
    fileprivate init?(_ row: inout Row) {
        if row.skips(13) { return nil }
        let event = row.text()
        let (id, product, purchasedAt) = (row.text(), row.text(), row.instant())
        var charge = Transaction(id: id, product: product, purchasedAt: purchasedAt, signedAt: purchasedAt)
        charge.expiresAt = row.optionalInstant()
        charge.revokedAt = row.optionalInstant()
        charge.isUpgraded = row.flag()
        charge.isTrial = row.flag()
        charge.option = row.optionalText()
        charge.quantity = Int(row.integer())
        charge.price = row.optionalInteger()
        charge.currency = row.optionalText()
        charge.signedAt = row.instant()
        self.init(charge, event: event)
    }
}

extension ContractStatus {
    fileprivate init(_ row: inout Row) throws(EngineError) {
        self.init(state: try row.word(), product: row.text())
        pendingProduct = row.optionalText()
        accessUntil = row.optionalInstant()
        autoRenew = row.optionalFlag()
        isPausing = row.flag()
        isTrial = row.flag()
    }
}
