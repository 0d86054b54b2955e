/// What decides which purchases open what, in a form that the ledger keeps: so a start, or a reload, knows whether users were
/// told by another catalog.
extension Catalog {
    /// The names of the entitlements, and then each product with what it opens, and for how long if the catalog says it, a line
    /// each. Two catalogs with the same text open the same.
    public var openings: String {
        let lines = productIDs.sorted().map { id in
            let opened = Catalog.list(namesEntitlements ? self[id]?.entitlements ?? [] : [])
            let duration = self[id]?.duration.map { "\t" + Catalog.text($0) } ?? ""
            return "\(id)\t\(opened)\(duration)"
        }
        return ([Catalog.list(namesEntitlements ? entitlements : [])] + lines).joined(separator: "\n")
    }

    /// A catalog that opens what `openings` says, as long as it says, and knows nothing else of its products.
    public init(openings: String) {
        let lines = openings.split(separator: "\n", omittingEmptySubsequences: false)
        var products: [String: Product] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            var product = Product.unknown
            product.entitlements = parts.count > 1 ? Catalog.names(parts[1]) : []
            product.duration = parts.count > 2 ? Catalog.duration(parts[2]) : nil
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

    /// Months and seconds: the file has no fractions of them.
    private static func text(_ duration: CalendarDuration) -> String {
        "\(duration.months) \(duration.rest.components.seconds)"
    }

    private static func duration(_ text: Substring) -> CalendarDuration? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let months = Int(parts[0]), let seconds = Int64(parts[1]) else { return nil }
        return CalendarDuration(months: months, rest: .seconds(seconds))
    }
}

extension AccessPolicy {
    /// Whether somebody waits for the catalog: by its store's word the purchase gives access, and nobody has said to what, or
    /// for how long.
    func isUnlisted(_ tracked: TrackedContract) -> Bool {
        guard lacksOpening(of: tracked) || lacksDuration(of: tracked) else { return false }
        let environment = tracked.key.environment
        return environment == .production || tracked.holders.contains { opensAccess(for: $0, in: environment) }
    }

    private func lacksOpening(of tracked: TrackedContract) -> Bool {
        guard tracked.status.isActive else { return false }
        return catalog.isMissing(
            tracked.status.product,
            kind: tracked.contract.kind,
            at: tracked.key.provider,
            stated: tracked.contract.entitlements?.value
        )
    }

    /// A rental without a duration is `pending` for no other reason.
    private func lacksDuration(of tracked: TrackedContract) -> Bool {
        guard tracked.status.state == .pending else { return false }
        return tracked.contract.transaction.map { catalog.isUnnamedRental($0.transaction) } ?? false
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
            guard let known = try ledger.contract(key) else { continue }
            let isNews = told.contains { isOther($0, about: known) }
            var contract = isNews ? known.following(policy, at: now) : known
            contract.isUnlisted = policy.isUnlisted(contract)
            if contract != known { try save(contract) }
            guard isNews else { continue }
            for user in contract.holders where users.insert(user).inserted { try tell(user, insteadOf: told) }
        }
        return contracts.count
    }

    private func isOther(_ told: Catalog, about contract: TrackedContract) -> Bool {
        let (before, after) = (held(contract, under: told), held(contract, under: policy.catalog))
        // Its page showed offers, and goes on to.
        if before.status.state == .expired, after.status.state == .expired { return false }
        return before.opens != after.opens || before.status != after.status
            || !after.opens.isEmpty && told.main != policy.catalog.main
    }

    private func held(_ contract: TrackedContract, under catalog: Catalog) -> HeldContract {
        var other = policy
        other.catalog = catalog
        return contract.following(other, at: now).heldContract(catalog)
    }

    private mutating func tell(_ user: UserID, insteadOf told: [Catalog]) throws {
        let contracts = try ledger.contracts(.held(by: user))
        let after = entitlements(of: user, contracts.map { $0.following(policy, at: now) })
        var lost: [EntitlementName: HeldContract] = [:]
        var isOther = false
        for catalog in told {
            var former = policy
            former.catalog = catalog
            let before = EntitlementSet(user: user, held: contracts.map { held($0, under: catalog) }, policy: former)
            isOther = isOther || !before.opensSame(as: after)
            for entitlement in before.entitlements {
                lost[entitlement.name] = entitlement.winner ?? lost[entitlement.name]
            }
        }
        guard isOther else { return }
        var notice = Notice(kind: .catalogChanged)
        notice.user = user
        notice.entitlements = after.summaries
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
    /// Whether the same contracts open the same entitlements, as long as before.
    fileprivate func opensSame(as other: EntitlementSet) -> Bool {
        entitlements.map(\.name) == other.entitlements.map(\.name)
            && zip(entitlements, other.entitlements).allSatisfy { one, other in
                one.contracts.byKey.mapValues(\.status) == other.contracts.byKey.mapValues(\.status)
            }
    }
}

extension TrackedContract {
    /// With the status that it has by the catalog of `policy`, which decides only about what is bought for a time.
    fileprivate func following(_ policy: AccessPolicy, at now: Instant) -> TrackedContract {
        guard contract.kind == .nonRenewing else { return self }
        var followed = self
        followed.recomputeStatus(at: now, policy: policy)
        return followed
    }
}
