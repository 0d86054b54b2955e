import Support
import Testing

@testable import Domain
@testable import Ledger

/// Who did what to a user, in both engines.
@Suite struct AuditTests {
    private static let start = TemporaryLedger.start
    private static let support = Act.Actor(name: "support")

    @Test func anActIsOneRowOfItsCommand() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let request = OrderRequest(user: "42", product: "pro")
        let act = Act(.order, by: Act.Actor(name: "cli", systemUser: "kim"), user: "42", reason: nil, request: "r-1")
        try ledger.order(request, by: act)
        // Repeated, it does nothing; nor does the next command inherit who was behind the one before.
        try ledger.order(request, by: act)
        _ = try ledger.order(OrderRequest(user: "43", product: "pro"))
        let page = try ledger.audit()
        #expect(page.entries == [AuditEntry(id: 1, at: page.entries[0].at, act: act)] && !page.hasMore)
    }

    @Test func localeAndTraceOfARepeatedRequestAreNoAct() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var request = OrderRequest(user: "42", product: "pro", token: OrderToken.random())
        let act = Act(.order, by: Self.support, user: "42")
        try ledger.order(request, by: act)
        request.locale.language = LanguageTag("de")
        request.trace = TraceID(String(repeating: "1", count: 32))
        try ledger.order(request, by: act)
        #expect(try ledger.audit().entries.count == 1)
    }

    @Test func aClaimIsWrittenOnceForTheEvent() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let event = Fixture.subscription("e1", state: .active)
        for user in ["42", "42", "43"] as [UserID] {
            let act = Act(.claim, by: Self.support, user: user)
            try ledger.commit { completion in
                .audited(
                    .event(event, claim: Claim(user: user), receivedAt: Fixture.now, completion: completion),
                    by: act
                )
            }
        }
        // The second claim repeats the first; the third moves the contract.
        #expect(try ledger.audit().entries.map(\.act.user) == ["43", "42"])
    }

    @Test func anErasureKeepsTheEntriesAndDropsTheName() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for user in ["erin@example.com", "42"] as [UserID] {
            try ledger.order(OrderRequest(user: user, product: "pro"), by: Act(.order, by: Self.support, user: user))
        }
        let act = Act(.erase, by: Self.support, user: nil, reason: "request of 1 May")
        while try !ledger.commit({ .audited(.erase("erin@example.com", completion: $0), by: act) }).isDone {}
        let entries = try ledger.audit().entries
        #expect(entries.map(\.act.action) == [.erase, .order, .order])
        #expect(entries.map(\.act.user) == [nil, "42", nil])
        #expect(entries[0].act == act)
        #expect(try ledger.audit(AuditSelection(user: "erin@example.com")).entries.isEmpty)
    }

    /// Who looks whether anything is left must not bring the name back; who orders brings the user back.
    @Test func anErasedUserStaysUnnamed() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let user: UserID = "erin@example.com"
        try ledger.order(OrderRequest(user: user, product: "pro"), by: Act(.order, by: Self.support, user: user))
        try ledger.erase(user)
        let read = Act(.read, by: Self.support, user: user)
        try ledger.commit { .note(read, completion: $0) }
        #expect(try ledger.audit().entries.map(\.act.user) == [nil, nil])
        try ledger.order(OrderRequest(user: user, product: "pro"), by: Act(.order, by: Self.support, user: user))
        try ledger.commit { .note(read, completion: $0) }
        #expect(try ledger.audit().entries.map(\.act.user) == [user, user, nil, nil])
    }

    @Test func aReplayThatChangesNothingIsNoAct() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let event = Fixture.subscription("e1", state: .active)
        _ = try ledger.send(event, claim: Claim(user: "42"))
        for isTrial in [true, false] {
            let act = Act(.replay, by: Self.support, user: "42")
            let batch = ReplayBatch(events: [event, Fixture.subscription("e2", state: .active, minute: 5)])
            _ = try ledger.commit { .audited(.replay(batch, isTrial: isTrial, completion: $0), by: act) }
            #expect(try ledger.audit().entries.count == (isTrial ? 0 : 1))
        }
    }

    /// One entry for the range, and one for each user.
    @Test func aReplayOfARangeNamesWhomItHasChanged() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for user in ["42", "43", "44"] {
            let event = Fixture.subscription("e\(user)", state: .active, key: Fixture.key(user))
            _ = try ledger.send(event, claim: Claim(user: UserID(user)))
        }
        let act = Act(.replay, by: Self.support, user: nil, reason: "since the outage of 42", request: "r-1")
        let changed = ["42", "43"].map { user in
            Fixture.subscription("r\(user)", state: .revoked, minute: 5, key: Fixture.key(user))
        }
        let same = Fixture.subscription("e44", state: .active, key: Fixture.key("44"))
        for isTrial in [true, false, false] {
            let batch = ReplayBatch(events: changed + [same])
            _ = try ledger.commit { .audited(.replay(batch, isTrial: isTrial, completion: $0), by: act) }
        }
        let acts = try ledger.audit().entries.map(\.act)
        #expect(acts.map(\.user) == ["43", "42", nil])
        #expect(acts.map(\.reason) == [act.reason, nil, act.reason])
    }

    /// The same of those whose pages got something again.
    @Test func aResendOfARangeNamesWhomItHasTold() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for user in ["42", "43"] {
            let event = Fixture.subscription("e\(user)", state: .active, key: Fixture.key(user))
            _ = try ledger.send(event, claim: Claim(user: UserID(user)))
        }
        let act = Act(.resend, by: Self.support, user: nil, reason: "since the outage of 42")
        for (act, users) in [(act, ["43", "42"]), (act.about("43"), ["43"])] as [(Act, [UserID])] {
            try ledger.commit { .audited(.rebroadcast(contracts: [], users: users, completion: $0), by: act) }
        }
        let acts = try ledger.audit().entries.map(\.act)
        #expect(acts.map(\.user) == ["43", "43", "42", nil])
        #expect(acts.map(\.reason) == [act.reason, act.reason, nil, act.reason])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var selection: AuditSelection
        var limit = 100
        var ids: [Int64]
        var hasMore = false
    }

    /// Ten entries, a minute apart: by `a` and `b` in turn, of users 0, 1 and 2 in turn.
    private static let cases = [
        Case(testDescription: "all", selection: AuditSelection(), ids: Array((1...10).reversed())),
        Case(testDescription: "the newest", selection: AuditSelection(), limit: 2, ids: [10, 9], hasMore: true),
        Case(testDescription: "the next", selection: AuditSelection(before: 9), limit: 2, ids: [8, 7], hasMore: true),
        Case(testDescription: "the last", selection: AuditSelection(before: 3), limit: 2, ids: [2, 1]),
        Case(testDescription: "a user", selection: AuditSelection(user: "1"), ids: [8, 5, 2]),
        Case(testDescription: "nobody", selection: AuditSelection(user: "3"), ids: []),
        Case(testDescription: "an actor", selection: AuditSelection(actor: "b"), ids: [10, 8, 6, 4, 2]),
        Case(
            testDescription: "an actor and a user",
            selection: AuditSelection(user: "1", actor: "b"),
            ids: [8, 2]
        ),
        Case(
            testDescription: "since an instant",
            selection: AuditSelection(since: .time(start + .seconds(8 * 60))),
            ids: [10, 9, 8]
        ),
        Case(
            testDescription: "between two",
            selection: AuditSelection(since: .time(start + .seconds(8 * 60 - 1))),
            ids: [10, 9, 8]
        ),
        Case(
            testDescription: "since long ago",
            selection: AuditSelection(since: .time(.init(milliseconds: 0))),
            limit: 1,
            ids: [10],
            hasMore: true
        ),
        Case(
            testDescription: "since later",
            selection: AuditSelection(since: .time(start + .seconds(86_400))),
            ids: []
        ),
        Case(testDescription: "after an entry", selection: AuditSelection(since: .entry(8)), ids: [10, 9]),
        Case(
            testDescription: "an actor since an instant, before an entry",
            selection: AuditSelection(actor: "a", since: .time(start + .seconds(4 * 60)), before: 9),
            ids: [7, 5]
        ),
    ]

    @Test func listsWhatIsAskedFor() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ledger.audit(AuditSelection(since: .time(Self.start))).entries.isEmpty)
        for number in Int64(1)...10 {
            ledger.clock.set(to: Self.start + .seconds(number * 60))
            let actor = Act.Actor(name: number.isMultiple(of: 2) ? "b" : "a")
            let act = Act(.read, by: actor, user: UserID("\((number - 1) % 3)"))
            try ledger.commit { .note(act, completion: $0) }
        }
        for given in Self.cases {
            let page = try ledger.audit(given.selection, limit: given.limit)
            #expect(page.entries.map(\.id) == given.ids, "\(given)")
            #expect(page.hasMore == given.hasMore, "\(given)")
        }
    }
}

extension TemporaryLedger {
    @discardableResult
    func commit<Value: Sendable>(
        _ command: (@escaping @Sendable (Result<Value, LedgerError>) -> Void) -> LedgerCommand
    ) throws -> Value {
        let answer = Promise<Result<Value, LedgerError>>()
        guard writer.submit(command { answer.fulfil($0) }) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    fileprivate func order(_ request: OrderRequest, by act: Act) throws {
        let answer = Promise<Result<OrderResult, OrderError>>()
        guard writer.submit(.audited(.order(request) { answer.fulfil($0) }, by: act)) else { throw LedgerError.busy }
        _ = try answer.wait().get()
    }

    fileprivate func audit(_ selection: AuditSelection = AuditSelection(), limit: Int = 100) throws -> AuditPage {
        try reader.answer { try $0.audit(selection, limit: limit) }
    }
}
