import Foundation
import Testing

@testable import Domain
@testable import Ledger

/// Runs each statement of the writer and the reader, in a ledger with the rows of `FilledLedger`.
struct EveryStatement {
    private static let address = "https://1.example.com"
    private static let erased: UserID = "u2001"
    private static let now = Fixture.now + .seconds(86_400)
    private var policy = AccessPolicy(sandboxUsers: .any)
    private var store: LedgerRepository
    private var queries: LedgerQueries

    init(on connection: any LedgerConnection) throws {
        policy.hooks = [HookTarget(address: EveryStatement.address)]
        policy.apis = [.apple]
        store = try LedgerRepository(connection, epoch: "e", policy: policy, streams: .standard)
        queries = try LedgerQueries(connection, epoch: "e", policy: policy, streams: .standard)
        try store.begin()
        try readRows()
        try writeChanges()
        try endWork()
        try store.commit()
        try erase()
        if store.file != nil { try store.settleScrub() }
        try ask()
    }

    /// The places in the source at which SQL stands that was not run: of each file, its lines.
    func placesLeftOut() throws -> Set<String> {
        let room = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Ledger/SQL")
        var places: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: room.path()) where name.hasSuffix(".swift") {
            let file = room.appending(path: name)
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            for (index, line) in lines.enumerated()
            where line.contains(/\b(sql|self)\(("|$)|(sql\.|try |\+ )contracts\((where|$)|sql\.(insert|entries)\(/) {
                places.insert("\(file.lastPathComponent):\(index + 1)")
            }
        }
        return places.subtracting([store.sql, queries.sql].flatMap { $0.statements.keys.map(\.description) })
    }

    /// What decisions read.
    private mutating func readRows() throws {
        let (rows, user) = (store.stored, UserID("u1"))
        let key = Fixture.key("c1")
        let token = try #require(OrderToken("00000000-0000-4000-8000-000000000001"))
        _ = try (rows.position(of: EventKey(Fixture.subscription("e2", state: .active))), rows.contract(key))
        _ = try (rows.newestEvent(of: key), rows.facts(of: key), rows.order(token), rows.isUsed(token))
        _ = try rows.orders(like: OrderRequest(user: user, product: "monthly"))
        _ = try rows.transfers(from: TransferSource(user: user, provider: .apple, environment: .production))
        _ = try (rows.locale(of: user), rows.isBuried(.user(user)), rows.contract(row: 1), rows.ending(of: user))
        for index: ContractIndex in [
            .ofAccount(key), .replacing(key), .lines(of: Fixture.key("c1", provider: .google)), .held(by: user),
            .named(user, provider: .apple, environment: .production), .bought(with: token),
        ] { _ = try rows.contracts(index) }
        _ = try (rows.charges(ChargeName("t1", of: key)), rows.charges(of: key))
        _ = try rows.contracts(after: 0, limit: 1)
        _ = try rows.contracts(waitingFor: UnlistedProduct(provider: .apple, product: "x"), limit: 1)
        _ = try (store.endedContracts(at: Fixture.now), store.nextEnd(), store.isUnchanged(user, since: 0))
    }

    private mutating func writeChanges() throws {
        let now = EveryStatement.now
        let known = try #require(try store.stored.contract(Fixture.key("c1")))
        var changed = known
        changed.contract.store = "another"
        changed.shares = ["u3"]
        let contract = Contract(key: Fixture.key("new"), kind: .subscription)
        var new = TrackedContract(contract: contract, status: known.status, endsAt: nil)
        (new.user, new.isUnlisted) = ("u5", true)
        var event = Fixture.subscription("new", state: .active)
        event.header = Array("header".utf8)
        let stream = try #require(StreamPattern.standard.stream(for: "u2"))
        let html = Fragment(stream: stream, action: "replace", target: "news", content: .html("x"))
        let position = try store.decide(at: now) { try $0.broadcast([html]) }[0].position
        var changes = Changes()
        changes.contracts = [(new, nil), (changed, known)]
        changes.tokens = [(known.key, .random(), TokenDates(first: now, last: nil))]
        changes.claims = try store.stored.facts(of: known.key).claims.map { (known.key, $0) }
        let source = TransferSource(user: "u5", provider: .apple, environment: .production)
        changes.transfers = [(source, TransferTarget(at: now, user: "u6"))]
        changes.charges = [(known.key, Charge(id: "new", refund: Charge.Refund(at: now, statedAt: now)))]
        let order = Order(token: .random(), user: "u5", product: "monthly")
        (changes.orders, changes.changedOrders) = ([order], [order])
        changes.locales = [("u5", .unknown)]
        changes.endedPages = [PagesEnding(user: "u5", position: 1)]
        changes.events = [FiledEvent(event: event, position: position, receivedAt: now, contract: known.key)]
        changes.refiledEvents = [(EventKey(event), known.key)]
        let job = Job(kind: .finish, provider: .apple, environment: .production, app: "a", subject: "new")
        var question = Job(kind: .refundRequest, provider: .apple, environment: .production, app: "a", subject: "asked")
        question.deadline = now + .seconds(9)
        changes.jobs = [(job, position), (question, position)]
        changes.hooks = [HookRecord(type: .entitlementsChanged, user: "u5", position: position)]
        (changes.buried, changes.lifted) = ([.user("u7")], [.user("u7")])
        changes.lostBroadcasts = 1
        try store.write(changes, at: now)
        try store.note(Act(.order, by: Act.Actor(name: "k"), user: "u5"), at: now)
    }

    /// What comes of jobs, messages, broadcasts and steps.
    private mutating func endWork() throws {
        let now = EveryStatement.now
        let delivery = try #require(try queries.hookDeliveries(in: nil, before: .max, limit: 1).first)
        _ = try store.answerRefund(of: "asked", at: .apple, "", now: now)
        try store.endRefundQuestion(about: "asked", at: .apple, decidedAt: now)
        for result: JobResult in [.done, .doneAndKept, .retry(at: now, reason: ""), .abandoned(reason: "")] {
            try store.end(1, result: result, now: now)
        }
        var erased = delivery
        erased.type = .userErased
        for result: HookResult in [.accepted, .retry(at: now, reason: ""), .failed(reason: ""), .gone(reason: "")] {
            let answered = [delivery, erased].map { AnsweredHook($0, result: result) }
            try store.end(answered, endsOutage: true, now: now)
        }
        try store.resendHook(1, now: now)
        try store.nameHooks([EveryStatement.address], now: now)
        try store.saveCheckpoint("m", at: now)
        _ = try store.addUnclaimed(1)
        let key = try #require(IdempotencyKey(header: "k"))
        _ = try store.broadcast([], once: KeyedRequest(key: key, digest: ""), now: now)
        _ = try store.tellCatalog(after: nil, now: now)
        _ = try store.isolated { _ throws(EngineError) in }
        _ = try store.isolated { _ throws(EngineError) in throw .unanswered }
        _ = try store.emptyOld(before: now)
        // Then what was written here, which is no state.
        try store.setMeta("retained", "\(store.known.head - 1)")
        _ = try store.emptyOld(before: now + .seconds(1))
    }

    private mutating func erase() throws {
        var isDone = false
        while !isDone {
            try store.begin()
            isDone = try store.erase(EveryStatement.erased, now: EveryStatement.now).isDone
            try store.commit()
        }
    }

    private mutating func ask() throws {
        let (user, address, now) = (UserID("u2"), EveryStatement.address, EveryStatement.now)
        let stream = try #require(StreamPattern.standard.stream(for: user))
        let token = try #require(OrderToken("00000000-0000-4000-8000-000000000002"))
        let ofUser = EntrySelection(user: user)
        try queries.snapshot { queries in
            let head = try queries.head()
            _ = try (queries.attention(of: [address]), queries.isCatalogTold(), queries.checkpoint("m"))
            _ = try (queries.refundQuestion(about: "asked", at: .apple), queries.endedPages(), queries.ending(of: user))
            _ = try queries.hasKey(try #require(IdempotencyKey(header: "k")))
            for (user, actor) in [(user, nil), (nil, "k"), (nil, nil)] as [(UserID?, String?)] {
                let selection = AuditSelection(user: user, actor: actor, since: .time(Fixture.now))
                _ = try queries.audit(selection, limit: 1)
            }
            for selection in [.all, ofUser] {
                _ = try (queries.entries(selection, after: 0, limit: 1), queries.newest(selection, limit: 1))
            }
            _ = try queries.log(after: head.position - 10, limit: 100)
            for selection in [
                EventSelection(), EventSelection(ids: ["e2"]), EventSelection(contract: 1), EventSelection(user: user),
            ] { _ = try queries.events(selection, limit: 1) }
            _ = try (queries.event(.id("e2")), queries.contract(1, until: head.position))
            _ = try (queries.hooks(to: address, limit: 1), queries.hookDelivery(1), queries.hookDeliveries(of: user))
            _ = try queries.hookDeliveries(in: nil, before: 1, limit: 1)
            for destination in try queries.jobDestinations(dueAt: now) {
                _ = try queries.jobs(dueAt: now, to: destination, limit: 1)
            }
            _ = try (queries.jobBacklog(), queries.expiring(of: .apple, at: Fixture.now, limit: 1))
            for since: MissedSince in [.nothing, .cursor(Cursor(epoch: "e", position: 1)), .time(Fixture.now)] {
                _ = try queries.missed(on: stream, since: since, limit: 100)
            }
            _ = try (
                queries.record(of: user), queries.userEvents(of: user, shownOn: stream, limit: 9, withBodies: true)
            )
            for name in ["u2", token.description, "nobody"] { _ = try queries.search(name) }
            _ = try (queries.purchases(of: user, limit: 9), queries.charge("t1", of: 1))
            _ = try queries.purchases(since: now, after: (0, ""), limit: 10)
        }
    }
}
