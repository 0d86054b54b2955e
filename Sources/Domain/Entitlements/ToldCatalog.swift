/// What decides which purchases open what, in a form that the ledger keeps: so a start, or a reload, knows whether users were
/// told by another catalog.
extension Catalog {
    /// The names of the entitlements, and then each product with what it opens, a line each. Two catalogs with the same text
    /// open the same.
    public var openings: String {
        let lines = productIDs.sorted().map { id in
            "\(id)\t\(Catalog.list(namesEntitlements ? self[id]?.entitlements ?? [] : []))"
        }
        return ([Catalog.list(namesEntitlements ? entitlements : [])] + lines).joined(separator: "\n")
    }

    /// A catalog that opens what `openings` says, and knows nothing else of its products.
    public init(openings: String) {
        let lines = openings.split(separator: "\n", omittingEmptySubsequences: false)
        var products: [String: Product] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            var product = Product.unknown
            product.entitlements = parts.count > 1 ? Catalog.names(parts[1]) : []
            products[String(parts[0])] = product
        }
        self.init(products, entitlements: Catalog.names(lines.first ?? ""))
    }

    private static func list(_ names: [EntitlementName]) -> String {
        names.map(\.description).joined(separator: ",")
    }

    private static func names(_ list: Substring) -> [EntitlementName] {
        list.split(separator: ",").compactMap { EntitlementName(String($0)) }
    }
}

extension AccessPolicy {
    /// Whether somebody waits for the catalog: by its store's word the purchase gives access, and nobody has said to what.
    func isUnlisted(_ tracked: TrackedContract) -> Bool {
        let (contract, environment) = (tracked.contract, tracked.key.environment)
        guard tracked.status.isActive else { return false }
        let isMissing = catalog.isMissing(
            tracked.status.product,
            kind: contract.kind,
            at: contract.key.provider,
            stated: contract.entitlements?.value
        )
        guard isMissing else { return false }
        return environment == .production || tracked.holders.contains { opensAccess(for: $0, in: environment) }
    }
}

/// Another catalog: no store has said anything, and users have something else.
extension UnitOfWork {
    /// Tells everybody for whom one of `contracts` opens something else than by one of the catalogs `told`, at most some `limit`
    /// users. Returns how many of the contracts it came to.
    public mutating func tell(of contracts: [ContractKey], insteadOf told: [Catalog], limit: Int) throws -> Int {
        var users: Set<UserID> = []
        for (index, key) in contracts.enumerated() {
            guard users.count < limit else { return index }
            guard let contract = try ledger.contract(key) else { continue }
            if policy.isUnlisted(contract) != contract.isUnlisted { try save(contract) }
            // Its page showed offers, and goes on to.
            guard contract.status.state != .expired, told.contains(where: { isOther($0, about: contract) }) else {
                continue
            }
            for user in contract.holders where users.insert(user).inserted { try tell(user, insteadOf: told) }
        }
        return contracts.count
    }

    private func isOther(_ told: Catalog, about contract: TrackedContract) -> Bool {
        let (before, after) = (contract.heldContract(told).opens, contract.heldContract(policy.catalog).opens)
        return before != after || !after.isEmpty && told.main != policy.catalog.main
    }

    private mutating func tell(_ user: UserID, insteadOf told: [Catalog]) throws {
        let held = try ledger.contracts(.held(by: user))
        let after = entitlements(of: user, held)
        var lost: [EntitlementName: HeldContract] = [:]
        var isOther = false
        for catalog in told {
            var former = policy
            former.catalog = catalog
            let before = EntitlementSet(user: user, held: held.map { $0.heldContract(catalog) }, policy: former)
            isOther = isOther || !before.opensSame(as: after)
            for entitlement in before.entitlements {
                lost[entitlement.name] = entitlement.winner ?? lost[entitlement.name]
            }
        }
        guard isOther else { return }
        var notice = Notice(kind: .catalogChanged)
        notice.user = user
        notice.active = after.isActive
        let closed = after.entitlements.filter { $0.winner == nil }.compactMap { entitlement in
            lost[entitlement.name].map { Announcement.closed(entitlement.name, after: $0) }
        }
        _ = try append(
            notice,
            fragments: fragments(Announcement.current(after) + closed.flatMap { $0 }, for: user)
        )
        queueHook(.entitlementsChanged, about: user, entry: changes.entries.count - 1)
    }
}

extension EntitlementSet {
    /// Whether the same contracts open the same entitlements.
    fileprivate func opensSame(as other: EntitlementSet) -> Bool {
        entitlements.map(\.name) == other.entitlements.map(\.name)
            && zip(entitlements, other.entitlements).allSatisfy { one, other in
                Set(one.contracts.map(\.contract)) == Set(other.contracts.map(\.contract))
            }
    }
}
