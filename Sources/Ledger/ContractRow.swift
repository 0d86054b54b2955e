internal import Domain

/// A contract as the ledger keeps it: the registers, the user, and the status that the last commit announced.
struct ContractRow {
    var id: Int64?
    var contract: Contract
    /// The owner; `shares` are the others who hold the contract.
    var user: UserID?
    /// Since when the owner has had it; nil when the owner follows only from another contract.
    var userAt: Instant?
    var shares: [UserID] = []
    var status: ContractStatus
    /// When the writer looks at the contract again by itself.
    var endsAt: Instant?

    static let keyColumns = ["provider", "environment", "app", "lineage"]
    /// Written separately from the state, because they rarely change and writing them updates three indexes.
    static let identityColumns = [
        "kind", "user", "is_family_shared", "product_group", "product_group_at", "token", "token_at", "account",
        "account_at", "previous_lineage", "previous_lineage_at", "store_user", "store_user_at", "user_at",
    ]
    static let stateColumns = [
        "snapshot_event", "snapshot_state", "snapshot_product", "snapshot_pending_product", "snapshot_auto_renew",
        "snapshot_access_until", "snapshot_signed_at",
        "charge_event", "charge_id", "charge_product", "charge_purchased_at", "charge_expires_at",
        "charge_revoked_at", "charge_is_upgraded", "charge_quantity", "charge_price", "charge_currency",
        "charge_signed_at",
        "state", "product", "pending_product", "access_until", "auto_renew", "ends_at",
        "snapshot_is_pausing", "is_pausing",
    ]
    static let columns = (keyColumns + identityColumns + stateColumns).joined(separator: ", ")
    static let count = keyColumns.count + identityColumns.count + stateColumns.count

    /// Everyone who holds the contract, the owner first.
    var holders: [UserID] { (user.map { [$0] } ?? []) + shares }

    init(id: Int64?, contract: Contract, status: ContractStatus, endsAt: Instant?) {
        self.id = id
        self.contract = contract
        self.status = status
        self.endsAt = endsAt
    }

    func heldContract(_ catalog: Catalog) -> HeldContract {
        HeldContract(of: contract, status: status, catalog: catalog)
    }

    /// Reads `id` and `columns`.
    init(_ row: Row) throws(SQLiteError) {
        let key = ContractKey(
            provider: try row.word(1),
            environment: try row.word(2),
            app: row.text(3),
            lineage: row.text(4)
        )
        var contract = Contract(key: key, kind: try row.word(5))
        contract.isFamilyShared = row.flag(7)
        contract.group = stamped(row.optionalText(8), row.instant(9))
        contract.token = stamped(row.optionalText(10).flatMap { OrderToken($0) }, row.instant(11))
        contract.account = stamped(row.optionalText(12), row.instant(13))
        contract.previousLineage = stamped(row.optionalText(14), row.instant(15))
        contract.storeUser = stamped(row.optionalUser(16), row.instant(17))
        contract.snapshot = try LWWSnapshot(row, at: 19)
        contract.snapshot?.snapshot.isPausing = row.flag(43)
        contract.transaction = LWWTransaction(row, at: 26)
        self.init(
            id: row.integer(0),
            contract: contract,
            status: ContractStatus(
                state: try row.word(37),
                product: row.text(38),
                pendingProduct: row.optionalText(39),
                accessUntil: row.optionalInstant(40),
                autoRenew: row.optionalFlag(41),
                isPausing: row.flag(44)
            ),
            endsAt: row.optionalInstant(42)
        )
        user = row.optionalUser(6)
        userAt = row.optionalInstant(18)
    }

    var keyValues: [Value] {
        let key = contract.key
        return [
            Value(key.provider), Value(key.environment), .text(key.app), .text(key.lineage),
        ]
    }

    var identityValues: [Value] {
        [
            Value(contract.kind), Value(user), Value(contract.isFamilyShared), Value(contract.group?.value),
            Value(contract.group?.signedAt),
            Value(contract.token?.value.description), Value(contract.token?.signedAt),
            Value(contract.account?.value), Value(contract.account?.signedAt),
            Value(contract.previousLineage?.value), Value(contract.previousLineage?.signedAt),
            Value(contract.storeUser?.value), Value(contract.storeUser?.signedAt), Value(userAt),
        ]
    }

    var stateValues: [Value] {
        let snapshot = contract.snapshot?.snapshot
        let charge = contract.transaction?.transaction
        return [
            Value(contract.snapshot?.event), Value(snapshot?.state), Value(snapshot?.product),
            Value(snapshot?.pendingProduct), Value(snapshot?.autoRenew), Value(snapshot?.accessUntil),
            Value(snapshot?.signedAt),
            Value(contract.transaction?.event), Value(charge?.id), Value(charge?.product), Value(charge?.purchasedAt),
            Value(charge?.expiresAt), Value(charge?.revokedAt), Value(charge?.isUpgraded),
            Value(charge.map { Int64($0.quantity) }), Value(charge?.price), Value(charge?.currency),
            Value(charge?.signedAt),
            Value(status.state), .text(status.product), Value(status.pendingProduct),
            Value(status.accessUntil), Value(status.autoRenew), Value(endsAt),
            Value(snapshot?.isPausing), Value(status.isPausing),
        ]
    }

    /// True when `other` differs in what the identity columns hold.
    func hasOtherIdentity(than other: ContractRow) -> Bool {
        contract.kind != other.contract.kind || user != other.user || userAt != other.userAt
            || contract.storeUser != other.contract.storeUser
            || contract.isFamilyShared != other.contract.isFamilyShared
            || contract.group != other.contract.group || contract.token != other.contract.token
            || contract.account != other.contract.account
            || contract.previousLineage != other.contract.previousLineage
    }
}

private func stamped<Text>(_ value: Text?, _ signedAt: Instant) -> LWWRegister<Text>? {
    value.map { LWWRegister($0, at: signedAt) }
}

extension LWWSnapshot {
    fileprivate init?(_ row: Row, at first: Int32) throws(SQLiteError) {
        guard let event = row.optionalText(first) else { return nil }
        let snapshot = Snapshot(
            state: try row.word(first + 1),
            product: row.text(first + 2),
            pendingProduct: row.optionalText(first + 3),
            autoRenew: row.flag(first + 4),
            accessUntil: row.optionalInstant(first + 5),
            signedAt: row.instant(first + 6)
        )
        self.init(snapshot, event: event)
    }
}

extension LWWTransaction {
    fileprivate init?(_ row: Row, at first: Int32) {
        guard let event = row.optionalText(first) else { return nil }
        let charge = Transaction(
            id: row.text(first + 1),
            product: row.text(first + 2),
            purchasedAt: row.instant(first + 3),
            expiresAt: row.optionalInstant(first + 4),
            revokedAt: row.optionalInstant(first + 5),
            isUpgraded: row.flag(first + 6),
            quantity: Int(row.integer(first + 7)),
            price: row.optionalInteger(first + 8),
            currency: row.optionalText(first + 9),
            signedAt: row.instant(first + 10)
        )
        self.init(charge, event: event)
    }
}
