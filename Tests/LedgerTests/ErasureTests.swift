import Glibc
import Ledger
import TestSupport
import Testing

@testable import Domain

/// A user is erased, and then stores and apps go on as they do.
@Suite struct ErasureTests {
    static let user: UserID = "erin@example.com"
    private static let token = OrderToken.random()
    private static let later = OrderToken.random()
    private static let key = Fixture.key("lineage-of-erin")
    private static let other = Fixture.key("another-of-erin")
    private static let first = event("event-of-erin", token: token)
    /// Everything by which the user might be found.
    private static let traces = [
        "erin@example.com", "lineage-of-erin", "another-of-erin", "event-of-erin", "buyer-of-erin", "token-of-erin",
        token.description,
    ]

    /// What happens after the erasure.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var event: Event
        var claim: Claim?
        /// An order that is made before it.
        var order: OrderRequest?
        var outcome: Outcome
        /// Who holds the contract afterwards.
        var holder: UserID?
    }

    static let cases = [
        Case(testDescription: "a renewal", event: event("event-of-erin-2", minute: 1), outcome: .ignored),
        Case(testDescription: "one with the token", event: event("e2", token: token), outcome: .ignored),
        Case(testDescription: "a retry", event: first, outcome: .duplicate),
        Case(
            testDescription: "another contract of the same order",
            event: event("e2", token: token, key: other),
            outcome: .ignored
        ),
        Case(
            testDescription: "another contract of the same buyer",
            event: event("e2", key: other, account: "buyer-of-erin"),
            outcome: .ignored
        ),
        Case(
            testDescription: "a contract that replaces the erased one",
            event: event("e2", key: other, previous: "lineage-of-erin"),
            outcome: .ignored
        ),
        Case(testDescription: "a stranger's contract", event: event("e2", key: Fixture.key("9")), outcome: .unclaimed),
        Case(
            testDescription: "the user's phone posts it",
            event: event("e2", minute: 1),
            claim: Claim(user: user, isVouched: false),
            outcome: .ignored
        ),
        Case(
            testDescription: "the user's phone posts what it bought since",
            event: event("e2", key: other),
            claim: Claim(user: user, isVouched: false),
            outcome: .ignored
        ),
        Case(
            testDescription: "the app's backend posts it for the user",
            event: event("e2", minute: 1),
            claim: Claim(user: user),
            outcome: .applied,
            holder: user
        ),
        Case(
            testDescription: "the person's new account posts it",
            event: event("e2", minute: 1),
            claim: Claim(user: "43", isVouched: false),
            outcome: .applied,
            holder: "43"
        ),
        Case(
            testDescription: "the person's new account posts what was posted before",
            event: first,
            claim: Claim(user: "43", isVouched: false),
            outcome: .applied,
            holder: "43"
        ),
        Case(
            testDescription: "the person's new account buys again",
            event: event("e2", minute: 1, token: later),
            order: OrderRequest(user: "43", product: "monthly", token: later),
            outcome: .applied,
            holder: "43"
        ),
        Case(
            testDescription: "the person buys again, before the new order is known",
            event: event("e2", minute: 1, token: later),
            outcome: .unclaimed
        ),
        Case(
            testDescription: "a renewal with a token of nobody's",
            event: event("e2", minute: 1, token: later, isPurchase: false),
            outcome: .ignored
        ),
        Case(
            testDescription: "the same account buys again",
            event: event("e2", minute: 1, token: later),
            order: OrderRequest(user: user, product: "monthly", token: later),
            outcome: .applied,
            holder: user
        ),
    ]

    @Test(arguments: cases)
    func theUserStaysErasedUntilSomebodyHasAReason(_ test: Case) throws {
        let ledger = try ErasureTests.ledger()
        defer { ledger.remove() }
        try ledger.erase(ErasureTests.user)
        if let order = test.order { _ = try ledger.order(order) }
        let result = try ledger.send(test.event, claim: test.claim)
        #expect(result.outcome == test.outcome && result.event == test.event.id)
        for user in [ErasureTests.user, "43"] {
            #expect(try ledger.entitlements(user).isActive == (user == test.holder), "\(user)")
        }
        if test.holder == nil {
            #expect(try ledger.send(test.event, claim: test.claim).outcome == .duplicate)
            guard test.outcome != .unclaimed else { return }
            #expect(try ErasureTests.traces(in: ledger) == [])
        }
    }

    /// Nothing is left in any file once the erasure is answered, while the server runs on.
    @Test func nothingIsLeftInTheFiles() throws {
        let ledger = try ErasureTests.ledger()
        defer { ledger.remove() }
        // Enough that pages were split, emptied and used again.
        for number in 0..<300 {
            _ = try ledger.send(ErasureTests.event("event-of-erin-\(number)", minute: Int64(number)))
            _ = try ledger.send(ErasureTests.event("s\(number)", key: Fixture.key("\(number % 40)")))
        }
        #expect(try ErasureTests.traces(in: ledger) != [])
        let done = try ledger.erase(ErasureTests.user)
        #expect(done.contracts == 1 && done.orders == 1 && done.events > 300 && done.fragments > 1)
        #expect(try ErasureTests.traces(in: ledger) == [])
        #expect(try ledger.erase(ErasureTests.user).contracts == 0)
    }

    /// Comes back by the very purchase that was erased, twice.
    @Test func theSameEventIsErasedAgain() throws {
        let ledger = try ErasureTests.ledger()
        defer { ledger.remove() }
        for _ in 0..<3 {
            #expect(try ledger.erase(ErasureTests.user).contracts == 1)
            #expect(try ErasureTests.traces(in: ledger) == [])
            let claim = Claim(user: ErasureTests.user)
            #expect(try ledger.send(ErasureTests.first, claim: claim).outcome == .applied)
        }
        #expect(try ledger.entitlements(ErasureTests.user).isActive)
    }

    /// Open pages are told at once, and pages that come back later by the tombstone, even after a restart.
    @Test func pagesReload() throws {
        let path = TemporaryLedger.newPath()
        var ledger = try ErasureTests.ledger(at: path)
        defer { ledger.remove() }
        let before = try ledger.missed(ErasureTests.user).through
        let cursor = try ledger.erase(ErasureTests.user).cursor
        let live = ledger.committed.all.last
        #expect(live?.notice.kind == .userErased && live?.notice.user == nil)
        #expect(live?.fragments.map(\.action) == ["refresh"])
        ledger.close()
        ledger = try TemporaryLedger(at: path)
        let missed = try ledger.missed(ErasureTests.user, since: before)
        #expect(missed.lost == cursor?.position && missed.items.isEmpty)
        #expect(try ledger.missed(ErasureTests.user, since: cursor).lost == nil)
        #expect(try ledger.missed("43", since: before).lost == nil)
    }

    /// What others hold stays theirs.
    @Test(arguments: [TransferPolicy.transfer, .share])
    func othersKeepWhatTheyHold(transfers: TransferPolicy) throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), transfers: transfers)
        let ledger = try TemporaryLedger(policy: policy)
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "43", product: "monthly", token: ErasureTests.later))
        _ = try ledger.send(ErasureTests.event("e1", token: ErasureTests.later))
        let claim = Claim(user: ErasureTests.user)
        _ = try ledger.send(ErasureTests.event("e2", minute: 1), claim: claim)
        let isShared = transfers == .share
        #expect(try ledger.entitlements("43").isActive == isShared)
        try ledger.erase(ErasureTests.user)
        #expect(try ledger.entitlements("43").isActive == isShared)
        #expect(try !ledger.entitlements(ErasureTests.user).isActive)
        // The store says whose order it was.
        let renewal = try ledger.send(ErasureTests.event("e3", minute: 2, token: ErasureTests.later))
        #expect(renewal.outcome == (isShared ? .ignored : .applied))
        #expect(try ledger.entitlements("43").isActive)
    }

    /// The erased user was the first to have it; the other one shares it, and keeps it.
    @Test func theOtherHolderOfASharedContractKeepsIt() throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), transfers: .share)
        let ledger = try TemporaryLedger(policy: policy)
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: ErasureTests.user, product: "monthly", token: ErasureTests.token))
        _ = try ledger.send(ErasureTests.event("e1", token: ErasureTests.token))
        _ = try ledger.send(ErasureTests.event("e2", minute: 1), claim: Claim(user: "43"))
        #expect(try ledger.entitlements("43").isActive)
        try ledger.erase(ErasureTests.user)
        #expect(try ledger.entitlements("43").isActive)
        #expect(try !ledger.entitlements(ErasureTests.user).isActive)
        _ = try ledger.send(ErasureTests.event("e3", minute: 2))
        #expect(try ledger.userEvents("43").events.first?.entry.notice.event == "e3")
        #expect(try ErasureTests.traces(in: ledger).filter { $0.hasPrefix("erin") } == [])
    }
}

extension ErasureTests {
    /// A ledger in which the user has bought something.
    private static func ledger(at path: String = TemporaryLedger.newPath()) throws -> TemporaryLedger {
        let ledger = try TemporaryLedger(at: path)
        _ = try ledger.order(OrderRequest(user: user, product: "monthly", token: token))
        #expect(try ledger.send(first).outcome == .applied)
        return ledger
    }

    private static func event(
        _ id: String,
        minute: Int64 = 0,
        token: OrderToken? = nil,
        key: ContractKey = key,
        account: String? = nil,
        previous: String? = nil,
        isPurchase: Bool = true
    ) -> Event {
        var event = Fixture.subscription(id, state: .active, minute: minute, token: token, key: key)
        event.observation?.account = key == self.key ? "buyer-of-erin" : account
        event.observation?.previousLineage = previous
        event.observation?.isPurchase = isPurchase
        event.observation?.transaction = Transaction(
            id: "t\(minute)",
            product: "monthly",
            purchasedAt: Fixture.now + .seconds(60 * minute),
            expiresAt: Fixture.now + .seconds(30 * 86_400),
            signedAt: Fixture.now + .seconds(60 * minute)
        )
        let mark = key == self.key || key == other ? "token-of-erin" : "of a stranger"
        event.body = Array(
            "{\"id\":\"\(id)\",\"mark\":\"\(mark)\",\"more\":\"\(String(repeating: "x", count: 3000))\"}".utf8
        )
        return event
    }

    /// The traces that are anywhere in the ledger's files.
    static func traces(in ledger: TemporaryLedger) throws -> [String] {
        var found: [String] = []
        guard ledger.isFile else {
            let rows = try ledger.rows()
            return traces.filter { rows.contains($0) }
        }
        for suffix in ["", "-wal"] {
            let bytes = try #require(contents(of: ledger.path + suffix))
            found += traces.filter { trace in bytes.firstRange(of: Array(trace.utf8)) != nil }.map { $0 + suffix }
        }
        return found
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        return fread(&bytes, 1, bytes.count, file) == bytes.count ? bytes : nil
    }
}
