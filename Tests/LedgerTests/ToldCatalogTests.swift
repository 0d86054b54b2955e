import Stores
import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Another catalog, in both engines: who is told, what they are told, and which products wait for it.
@Suite(.blocking) struct ToldCatalogTests {
    private static let pro = EntitlementName("pro") ?? .standard
    private static let maps = EntitlementName("maps") ?? .standard
    private static let address = "https://backend.example/hooks"

    /// By product.
    private static func catalog(_ opened: [String: [EntitlementName]]) -> Catalog {
        Catalog(opened.mapValues { Catalog.Product(entitlements: $0) }, entitlements: [pro, maps])
    }

    private static func policy(_ catalog: Catalog) -> AccessPolicy {
        var policy = AccessPolicy(sandboxUsers: .only(["tester"]))
        policy.catalog = catalog
        policy.hooks = [HookTarget(address: address)]
        return policy
    }

    private func buy(
        _ product: String,
        by user: UserID,
        state: ContractState = .active,
        until: Duration = .seconds(30 * 86_400),
        environment: StoreEnvironment = .production,
        in ledger: TemporaryLedger
    ) throws {
        let key = Fixture.key("\(user)-\(product)", environment: environment)
        _ = try ledger.send(
            Fixture.subscription(
                "\(user)-\(product)",
                state: state,
                product: product,
                until: until,
                group: nil,
                key: key
            ),
            claim: Claim(user: user)
        )
    }

    /// A product that nobody has named opens nothing and is told of; a corrected catalog opens it, on pages and for the backend.
    @Test func aCorrectedCatalogOpensWhatWaits() throws {
        let ledger = try TemporaryLedger(policy: Self.policy(Self.catalog(["monthly": [Self.pro]])))
        defer { ledger.remove() }
        #expect(try ledger.tellCatalog() == 1)
        try buy("new", by: "42", in: ledger)
        try buy("monthly", by: "43", in: ledger)
        try buy("new", by: "44", state: .expired, until: .seconds(-60), in: ledger)
        #expect(try !ledger.entitlements("42").isActive)
        #expect(try ledger.unlisted() == ["new at apple: 1"])
        #expect(try ledger.reader.answer { try $0.isCatalogTold() })
        let before = try ledger.entries().entries.count
        try ledger.adopt(Self.policy(Self.catalog(["monthly": [Self.pro], "new": [Self.pro, Self.maps]])))
        // Answers follow at once, and pages a moment later.
        #expect(try ledger.entitlements("42").entitlements.map(\.isActive) == [true, true])
        #expect(try !ledger.reader.answer { try $0.isCatalogTold() })
        try ledger.tellCatalog()
        let entry = try #require(try ledger.entries().entries.last)
        #expect(try ledger.entries().entries.count == before + 1, "nobody else is told")
        #expect(entry.notice.kind == .catalogChanged && entry.notice.user == "42" && entry.notice.active == true)
        #expect(
            entry.fragments.summary == [
                "paywall=manage", "subscription_status=manage", "paywall_maps=manage",
                "subscription_status_maps=manage",
            ]
        )
        let due = try #require(try ledger.hooks(to: Self.address).first { $0.delivery.user == "42" })
        #expect(due.cause.notice.kind == .catalogChanged)
        #expect(due.entitlements == (try ledger.entitlements("42")))
        #expect(try ledger.unlisted().isEmpty)
        #expect(try ledger.reader.answer { try $0.isCatalogTold() })
        #expect(try ledger.tellCatalog() == 1)
        #expect(try ledger.entries().entries.count == before + 1, "once")
    }

    /// The elements of what a catalog does not open any more go back to the offers.
    @Test func aCatalogThatTakesAway() throws {
        let both = Self.catalog(["monthly": [Self.pro, Self.maps]])
        let ledger = try TemporaryLedger(policy: Self.policy(both))
        defer { ledger.remove() }
        try buy("monthly", by: "42", in: ledger)
        try ledger.tellCatalog()
        try ledger.adopt(Self.policy(Self.catalog(["monthly": [Self.pro]])))
        try ledger.tellCatalog()
        let entry = try #require(try ledger.entries().entries.last)
        #expect(
            entry.fragments.summary == [
                "paywall=manage", "subscription_status=manage", "paywall_maps=paywall",
                "subscription_status_maps=paywall",
            ]
        )
        // Not named at all, it waits, and is in the list without anybody's word.
        try ledger.adopt(Self.policy(Self.catalog([:])))
        try ledger.tellCatalog()
        #expect(try ledger.unlisted() == ["monthly at apple: 1"])
        #expect(try ledger.entries().entries.last?.notice.active == false)
    }

    /// A catalog that follows another one before all are told: everybody is told by the last, also whoever was told by the one in
    /// between, and although the last one is the first again.
    @Test func aCatalogAfterHalfOfTheSteps() throws {
        let first = Self.policy(Self.catalog(["monthly": [Self.pro]]))
        let ledger = try TemporaryLedger(policy: first)
        defer { ledger.remove() }
        try ledger.tellCatalog()
        // A step tells fifty.
        for number in 0..<60 { try buy("monthly", by: UserID("u\(number)"), in: ledger) }
        try ledger.adopt(Self.policy(Self.catalog(["monthly": [Self.maps]])))
        let row = try #require(try ledger.step(after: nil))
        let half = try ledger.entries().entries.filter { $0.notice.kind == .catalogChanged }
        #expect(half.count == 50 && half.allSatisfy { $0.notice.active == false })
        try ledger.adopt(first)
        // It goes on where it was, as the server does.
        var next: Int64? = row
        repeat { next = try ledger.step(after: next) } while next != nil
        var last: [UserID: Entry] = [:]
        for entry in try ledger.entries().entries {
            if entry.notice.kind == .catalogChanged, let user = entry.notice.user { last[user] = entry }
        }
        #expect(last.count == 60 && last.values.allSatisfy { $0.notice.active == true })
        #expect(try ledger.reader.answer { try $0.isCatalogTold() })
    }

    /// What a start finds is as good as a reload: also in a ledger from before anybody had a catalog.
    @Test(.enabled(if: !TemporaryLedger.isInPostgres)) func aStartWithAnotherCatalog() throws {
        let path = TemporaryLedger.newPath()
        let ledger = try TemporaryLedger(at: path, policy: Self.policy(Catalog()))
        try buy("monthly", by: "42", in: ledger)
        try buy("wallpaper", by: "43", in: ledger)
        #expect(try ledger.entitlements("42").isActive)
        ledger.close()
        let opens = Self.catalog(["monthly": [Self.pro], "wallpaper": []])
        let later = try TemporaryLedger(at: path, policy: Self.policy(opens))
        defer { later.remove() }
        #expect(try !later.reader.answer { try $0.isCatalogTold() })
        try later.tellCatalog()
        let told = try later.entries().entries.filter { $0.notice.kind == .catalogChanged }
        #expect(told.map(\.notice.user) == ["42", "43"] && told.map(\.notice.active) == [true, false])
    }

    /// In a new ledger nobody was told by another catalog: nothing is said to those who buy from then on.
    @Test func aNewLedgerHasItsCatalog() throws {
        let ledger = try TemporaryLedger(policy: Self.policy(Self.catalog(["monthly": [Self.pro]])))
        defer { ledger.remove() }
        try ledger.tellCatalog()
        try buy("monthly", by: "42", in: ledger)
        #expect(try ledger.reader.answer { try $0.isCatalogTold() })
        try ledger.tellCatalog()
        #expect(try ledger.entries().entries.map(\.notice.kind) == [.subscriptionRenewed])
    }

    struct Waiting: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var user: UserID = "42"
        var state = ContractState.active
        var environment = StoreEnvironment.production
        let waits: Bool
    }

    @Test(arguments: [
        Waiting(testDescription: "active", waits: true),
        Waiting(testDescription: "ended", state: .expired, waits: false),
        Waiting(testDescription: "taken back", state: .revoked, waits: false),
        Waiting(testDescription: "of a Sandbox that opens nothing", environment: .sandbox, waits: false),
        Waiting(testDescription: "of a tester", user: "tester", environment: .sandbox, waits: true),
    ]) func onlyWhoWouldHaveAccessWaits(_ given: Waiting) throws {
        let ledger = try TemporaryLedger(policy: Self.policy(Self.catalog(["monthly": [Self.pro]])))
        defer { ledger.remove() }
        let until = Duration.seconds(given.state.givesAccess ? 86_400 : -60)
        try buy("new", by: given.user, state: given.state, until: until, environment: given.environment, in: ledger)
        #expect(try ledger.unlisted() == (given.waits ? ["new at apple: 1"] : []))
        // Nor does anybody wait once it has ended by itself.
        try ledger.setClock(to: TemporaryLedger.start + .seconds(90_000))
        #expect(try ledger.unlisted().isEmpty)
    }

    @Test func eachProductIsCountedOnce() throws {
        let ledger = try TemporaryLedger(policy: Self.policy(Self.catalog(["monthly": [Self.pro]])))
        defer { ledger.remove() }
        for user in ["1", "2", "3"] as [UserID] { try buy("new", by: user, in: ledger) }
        try buy("other", by: "1", in: ledger)
        #expect(try ledger.unlisted() == ["new at apple: 3", "other at apple: 1"])
        let charge = Fixture.purchase("coins", kind: .consumable, product: "coins")
        _ = try ledger.send(charge, claim: Claim(user: "1"))
        #expect(try ledger.unlisted().count == 2, "coins open nothing in any case")
    }

    private func rent(until end: Duration?, in ledger: TemporaryLedger) throws {
        var charge = Transaction(id: "GPA.1", product: "film", purchasedAt: Fixture.now, signedAt: Fixture.now)
        charge.option = "weekend"
        charge.expiresAt = end.map { Fixture.now + $0 }
        var observation = Observation(contract: Fixture.key("rental", provider: .google), kind: .nonRenewing)
        observation.transaction = charge
        let event = Fixture.event("rented", kind: .purchaseCompleted, observation: observation)
        _ = try ledger.send(event, claim: Claim(user: "42"))
    }

    private static func rentals(lasting duration: CalendarDuration?, entitlements: [EntitlementName]) -> AccessPolicy {
        let film = Catalog.Product(duration: duration, entitlements: entitlements.isEmpty ? [] : [pro])
        return policy(Catalog(duration == nil ? [:] : ["film:weekend": film], entitlements: entitlements))
    }

    /// A node that still has the former catalog takes a purchase when everybody else was told: it is told of once.
    @Test func whoBuysByTheFormerCatalogIsToldOnce() throws {
        let former = Self.policy(Self.catalog(["monthly": [Self.pro]]))
        let newer = Self.policy(Self.catalog(["monthly": [Self.pro], "new": [Self.maps]]))
        let ledger = try TemporaryLedger(policy: former)
        defer { ledger.remove() }
        try buy("monthly", by: "43", in: ledger)
        try ledger.tellCatalog()
        try ledger.adopt(newer)
        try ledger.tellCatalog()
        try ledger.adopt(former)
        try buy("new", by: "42", in: ledger)
        #expect(try ledger.entries().entries.last?.fragments.isEmpty == true)
        try ledger.adopt(newer)
        #expect(try ledger.unlisted() == ["new at apple: 1"])
        #expect(try !ledger.reader.answer { try $0.isCatalogTold() })
        #expect(try ledger.tellCatalog() == 1)
        let entry = try #require(try ledger.entries().entries.last)
        #expect(entry.notice.kind == .catalogChanged && entry.notice.user == "42")
        #expect(entry.notice.entitlements == (try ledger.entitlements("42").entitlements.map(\.summary)))
        #expect(entry.fragments.summary == ["paywall_maps=manage", "subscription_status_maps=manage"])
        #expect(try ledger.unlisted().isEmpty)
        #expect(try ledger.reader.answer { try $0.isCatalogTold() })
        #expect(try ledger.tellCatalog() == 1)
        #expect(try ledger.entries().entries.last == entry)
    }

    /// A rental waits for its duration, with and without entitlements in the catalog: it is told of, no page shows a payment that
    /// is awaited, and each other duration is told to pages, the backend, and the clock that ends it.
    @Test(arguments: [[], [pro]] as [[EntitlementName]]) func aRentalWaitsForItsDuration(_ names: [EntitlementName])
        throws
    {
        let ledger = try TemporaryLedger(policy: Self.rentals(lasting: nil, entitlements: names))
        defer { ledger.remove() }
        try ledger.tellCatalog()
        try rent(until: nil, in: ledger)
        #expect(try ledger.entries().entries.allSatisfy(\.fragments.isEmpty))
        #expect(try ledger.unlisted() == ["film:weekend at google: 1"])
        #expect(try ledger.reader.answer { try $0.unlistedProducts() }.count == 1, "for /ready")
        #expect(try ledger.entitlements("42").contracts.map(\.state) == [.pending])
        try ledger.adopt(Self.rentals(lasting: .days(2), entitlements: names))
        #expect(try ledger.entitlements("42").isActive)
        #expect(try !ledger.reader.answer { try $0.isCatalogTold() })
        try ledger.tellCatalog()
        let opened = try #require(try ledger.entries().entries.last)
        #expect(opened.notice.kind == .catalogChanged && opened.notice.active == true)
        #expect(opened.fragments.summary == ["paywall=manage", "subscription_status=manage"])
        let due = try #require(try ledger.hooks(to: Self.address).first { $0.delivery.user == "42" })
        #expect(due.cause.notice.kind == .catalogChanged && due.entitlements?.isActive == true)
        #expect(try ledger.unlisted().isEmpty)
        // Longer, and then for shorter than it has lasted.
        try ledger.adopt(Self.rentals(lasting: .days(3), entitlements: names))
        try ledger.tellCatalog()
        #expect(try ledger.entries().entries.last?.notice.active == true)
        try ledger.setClock(to: Fixture.now + .seconds(2 * 86_400 + 60))
        #expect(try ledger.entitlements("42").isActive)
        try ledger.adopt(Self.rentals(lasting: .days(1), entitlements: names))
        try ledger.tellCatalog()
        let closed = try #require(try ledger.entries().entries.last)
        #expect(closed.notice.kind == .catalogChanged && closed.notice.active == false)
        #expect(closed.fragments.summary == ["paywall=paywall", "subscription_status=paywall"])
        // It was over, and goes on.
        try ledger.adopt(Self.rentals(lasting: .days(4), entitlements: names))
        try ledger.tellCatalog()
        #expect(try ledger.entries().entries.last?.notice.active == true)
        try ledger.setClock(to: Fixture.now + .seconds(4 * 86_400 + 60))
        let ended = try ledger.entries().entries.filter { $0.notice.kind == .accessEnded }
        #expect(ended.map(\.notice.user) == ["42"] && ended.first?.notice.active == false)
    }

    /// The store's own end needs no duration.
    @Test func aRentalThatEndsByItsStoreDoesNotWait() throws {
        let ledger = try TemporaryLedger(policy: Self.rentals(lasting: nil, entitlements: []))
        defer { ledger.remove() }
        try rent(until: .seconds(86_400), in: ledger)
        #expect(try ledger.unlisted().isEmpty && ledger.entitlements("42").isActive)
    }

    /// Granted by its name, whatever the catalog says of products.
    @Test func aGrantOfAnEntitlementFollowsTheCatalog() throws {
        let ledger = try TemporaryLedger(policy: Self.policy(Self.catalog(["monthly": [Self.pro]])))
        defer { ledger.remove() }
        var grant = Grant(id: "1", user: "42", product: "maps", grantedAt: TemporaryLedger.start, reason: "ticket 7")
        grant.entitlement = "maps"
        _ = try ledger.send(grant.event, claim: Claim(user: "42"))
        #expect(try ledger.entitlements("42").entitlements.map(\.isActive) == [false, true])
        #expect(try ledger.unlisted().isEmpty)
        // Read again from what the ledger keeps, it is the same.
        let stored = try #require(try ledger.events(EventSelection()).first)
        let delivery = StoredDelivery(
            id: stored.id,
            body: stored.body,
            environment: stored.environment,
            app: stored.app,
            receivedAt: stored.receivedAt
        )
        #expect(try GrantReader().interpret(delivery)?.observation?.entitlements == ["maps"])
        _ = try ledger.send(grant.revoked(at: TemporaryLedger.start + .seconds(60), reason: "x").event)
        #expect(try ledger.entitlements("42").entitlements.map(\.isActive) == [false, false])
        var product = Grant(id: "2", user: "43", product: "monthly", grantedAt: TemporaryLedger.start, reason: "x")
        product.until = TemporaryLedger.start + .seconds(86_400)
        _ = try ledger.send(product.event, claim: Claim(user: "43"))
        #expect(try ledger.entitlements("43").entitlements.map(\.isActive) == [true, false])
    }
}

extension TemporaryLedger {
    /// As a reload does.
    fileprivate func adopt(_ policy: AccessPolicy) throws {
        guard writer.submit(.policy(policy)), reader.adopt(policy) else { throw LedgerError.busy }
    }

    fileprivate func step(after row: Int64?) throws -> Int64? {
        let answer = Promise<Result<Int64?, LedgerError>>()
        guard writer.submit(.tellCatalog(after: row, completion: answer.fulfil)) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    /// Returns how many steps it took.
    @discardableResult
    fileprivate func tellCatalog() throws -> Int {
        var (row, count) = (try step(after: nil), 1)
        while let next = row { (row, count) = (try step(after: next), count + 1) }
        return count
    }

    fileprivate func unlisted() throws -> [String] {
        try attention().unlisted.map { "\($0.product.product) at \($0.product.provider): \($0.users)" }
    }
}
