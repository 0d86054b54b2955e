import Domain
import Encoding
import Synchronization
import TestSupport
import Testing

@testable import Simulator
@testable import Stores

/// Against the stand-in over a real connection.
@Suite struct StripeReadingTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)
    private static let key = ContractKey(provider: .stripe, environment: .sandbox, app: "stripe", lineage: "sub_1")
    private let store = SimulatedStripe(secret: "whsec_test")
    private let standIn = StripeStandIn()

    private func server() -> SocketServer {
        SocketServer { [standIn] socket in
            let head = try socket.read(until: "\r\n\r\n")
            let words = head.split(separator: " ")
            let path = String(words[1].prefix { $0 != "?" })
            let lines = head.split(separator: "\r\n")
            let authorization = lines.first { $0.hasPrefix("Authorization: ") }.map { String($0.dropFirst(15)) }
            let request = StandInRequest(method: String(words[0]), path: path, authorization: authorization)
            let answer = standIn.answer(request) ?? StandInAnswer(status: 404, body: [])
            let head2 =
                "HTTP/1.1 \(answer.status) X\r\nConnection: close\r\nContent-Length: \(answer.body.count)\r\n\r\n"
            try socket.send(head2 + String(decoding: answer.body, as: UTF8.self))
        }
    }

    private func reader(_ url: String, key: String = "rk_test_1") throws -> StripeVerifier {
        var verifier = try #require(StripeVerifier(secrets: ["whsec_test"]))
        verifier.stripeAPI = StripeAPI(key: key, address: url)
        return verifier
    }

    /// What the simulated store says; its documents are put into the stand-in unless told otherwise.
    private func delivery(_ words: String, state: ContractState = .pending, puts: Bool = true) throws -> Delivery {
        let parts = words.split(separator: "/").map(String.init)
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1")
        facts.state = state
        if state != .pending { facts.accessUntil = Self.now + .seconds(86_400) }
        let delivery = try store.delivery(
            SimulatedEvent(type: parts[0], subtype: parts.count > 1 ? parts[1] : nil, facts: facts, now: Self.now)
        )
        for document in delivery.documents where puts {
            let request = StandInRequest(method: "PUT", path: document.path, body: document.json)
            #expect(standIn.answer(request)?.status == 200)
        }
        return Delivery(body: delivery.body, signature: delivery.headers[0].1)
    }

    @Test func lateEventTellsHowTheSubscriptionStandsNow() throws {
        let server = server()
        let late = try delivery("customer.subscription.created")
        _ = try delivery("customer.subscription.updated/past_due", state: .active)
        let event = try reader(server.url).verify(late, now: Self.now)
        #expect(event.kind == .subscriptionStarted)
        #expect(event.observation?.snapshot?.state == .inGracePeriod)
        #expect(event.observation?.snapshot?.signedAt == Self.now)
    }

    /// Days later, when the API says something else.
    @Test(arguments: ["customer.subscription.created", "charge.refunded", "subscription_schedule.updated"])
    func storedEventSaysWhatItSaid(_ words: String) throws {
        let server = server()
        let reader = try reader(server.url)
        let event = try reader.verify(try delivery(words, state: .expired), now: Self.now)
        _ = try delivery("customer.subscription.updated/past_due", state: .active)
        let stored = StoredDelivery(
            id: event.id,
            body: event.body,
            environment: event.environment,
            app: event.app,
            receivedAt: Self.now + .seconds(86_400)
        )
        let interpret = try reader.interpret(stored)
        #expect(interpret == event && event.observation?.snapshot != nil)
        // Without the key nobody knows what the answer was: it is skipped, and what it said stays.
        let verifier = try #require(StripeVerifier(secrets: ["whsec_test"]))
        #expect(throws: VerificationError.self) { try verifier.interpret(stored) }
    }

    @Test func paidSessionOpensTheWholePeriod() throws {
        let server = server()
        let event = try reader(server.url).verify(try delivery("checkout.session.completed"), now: Self.now)
        #expect(event.observation?.snapshot?.accessUntil == Self.now + .seconds(30 * 86_400))
    }

    @Test func scheduleTellsWhatItChangesTo() throws {
        let server = server()
        let event = try reader(server.url).verify(
            try delivery("subscription_schedule.updated", state: .active),
            now: Self.now
        )
        #expect(event.kind == .planChangeScheduled)
        #expect(event.observation?.snapshot?.pendingProduct == "paycast.pro.annual")
    }

    /// Row 29 for subscriptions: the charge leads to its invoice, and the invoice to the subscription.
    @Test(arguments: [
        ("charge.refunded", ContractState.expired, ContractState.revoked), ("charge.refunded", .active, .active),
        ("charge.refunded/partial", .expired, .expired), ("charge.refunded/partial", .active, .active),
        ("charge.dispute.created", .active, .active),
    ]) func refundIsOfTheSubscription(_ words: String, before: ContractState, after: ContractState) throws {
        let server = server()
        let event = try reader(server.url).verify(try delivery(words, state: before), now: Self.now)
        #expect(event.observation?.contract == Self.key)
        #expect(event.observation?.snapshot?.state == after)
    }

    /// The API knows the subscription, but not in words that we know: the event's own stand.
    @Test func statusOfTomorrowIsNoReasonToRefuse() throws {
        let server = server()
        let delivery = try delivery("customer.subscription.created")
        let document = #"{"id":"sub_1","object":"subscription","status":"dancing","livemode":false}"#
        let request = StandInRequest(method: "PUT", path: "/v1/subscriptions/sub_1", body: Array(document.utf8))
        #expect(standIn.answer(request)?.status == 200)
        #expect(try reader(server.url).verify(delivery, now: Self.now).observation?.snapshot?.state == .active)
    }

    @Test func chargeOfNoInvoiceIsAPurchase() throws {
        let server = server()
        let facts = SimulatedSubscription(product: "paycast.lifetime", kind: .nonConsumable, lineage: "pi_1")
        let asked = SimulatedEvent(type: "charge.refunded", facts: facts, now: Self.now)
        let delivery = try store.delivery(asked)
        for document in delivery.documents {
            _ = standIn.answer(StandInRequest(method: "PUT", path: document.path, body: document.json))
        }
        let posted = Delivery(body: delivery.body, signature: delivery.headers[0].1)
        let observation = try reader(server.url).verify(posted, now: Self.now).observation
        #expect(observation?.contract.lineage == "pi_1" && observation?.snapshot?.state == .revoked)
    }

    @Test func unknownSubscriptionIsBelievedAsPosted() throws {
        let server = server()
        let event = try reader(server.url).verify(
            try delivery("customer.subscription.created", puts: false),
            now: Self.now
        )
        #expect(event.observation?.snapshot?.state == .active)
        #expect(event.observation?.snapshot?.signedAt == Self.now)
    }

    /// Nothing answers there: if the reader asked, it would throw.
    @Test func keyOfTheOtherModeAsksNothing() throws {
        let reader = try reader(ReservedPort.unused.url, key: "sk_live_1")
        #expect(try reader.verify(try delivery("customer.subscription.created"), now: Self.now).observation != nil)
    }

    @Test(arguments: ["customer.subscription.created", "charge.dispute.created"])
    func eventOfAnUnlistedAccountAsksNothing(_ words: String) throws {
        let accounts = Mutex<[String]>([])
        var reader = try #require(
            StripeVerifier(secrets: ["whsec_test"], accounts: ["acct_1"]) { account in
                accounts.withLock { $0.append(account) }
            }
        )
        reader.stripeAPI = StripeAPI(key: "rk_test_1", address: ReservedPort.unused.url)
        var delivery = try delivery(words, state: .active)
        delivery.body = Array(#"{"account":"acct_2","#.utf8) + delivery.body.dropFirst()
        let time = String(Self.now.seconds)
        delivery.signature = "t=\(time),v1=\(StripeSpecimen.code(delivery.body, at: time, secret: "whsec_test"))"
        let event = try reader.verify(delivery, now: Self.now)
        #expect(event.isOfUnlistedAccount && event.app == "acct_2")
        #expect(accounts.withLock { $0 } == ["acct_2"])
    }

    @Test func forgedEventAsksNothing() throws {
        let reader = try reader(ReservedPort.unused.url)
        var forged = try delivery("customer.subscription.created")
        forged.body += [32]
        #expect(throws: VerificationError.untrusted(.badSignature)) { try reader.verify(forged, now: Self.now) }
    }

    @Test func withoutAnAnswerStripeShallComeBack() throws {
        let reader = try reader(ReservedPort.unused.url)
        #expect(throws: VerificationError.storeUnreachable(.noAnswer)) {
            try reader.verify(try delivery("customer.subscription.created"), now: Self.now)
        }
    }

    @Test(arguments: [
        ("500 Oops", VerificationError.Silence.noAnswer), ("429 Slow Down", .noAnswer),
        ("401 Unauthorized", .refusedKey), ("200 OK", .unreadable),
    ]) func answerThatSaysNothingIsNoAnswer(_ status: String, silence: VerificationError.Silence) throws {
        let server = Recorder("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}")
        let delivery = try delivery("customer.subscription.created")
        #expect(throws: VerificationError.storeUnreachable(silence)) {
            try reader(server.url).verify(delivery, now: Self.now)
        }
    }

    @Test func refusalLeavesTheEventsOwnWord() throws {
        let server = Recorder("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}")
        let event = try reader(server.url).verify(try delivery("customer.subscription.created"), now: Self.now)
        #expect(event.observation?.snapshot?.state == .active)
        #expect(server.requests.count == 1)
    }

    @Test func statementIsAnEventOfItsOwn() throws {
        let server = server()
        _ = try delivery("customer.subscription.updated/cancel", state: .active)
        let api = StripeAPI(key: "rk_test_1", address: server.url)
        let event = try #require(try api.statement(of: Self.key, now: Self.now))
        #expect(event.observation?.snapshot?.state == .cancelled)
        #expect(event.id == "read:sub_1:1767225600000" && event.signedAt == Self.now)
        var item = Self.key
        item.lineage = "sub_1#si_2"
        #expect(try api.statement(of: item, now: Self.now)?.observation?.contract == Self.key)
        var unknown = Self.key
        unknown.lineage = "sub_2"
        #expect(try api.statement(of: unknown, now: Self.now) == nil)
        unknown.lineage = "pi_1"
        #expect(try api.statement(of: unknown, now: Self.now) == nil)
        unknown.lineage = "sub_1/../../v1/charges"
        #expect(try api.statement(of: unknown, now: Self.now) == nil)
    }

    @Test func nothingIsToBeDoneAtStripe() {
        let api = StripeAPI(key: "rk_test_1", address: "http://127.0.0.1:1")
        let job = Job(kind: .finish, provider: .stripe, environment: .sandbox, app: "stripe", subject: "x")
        #expect(throws: StoreAPIError.self) { try api.perform(job, now: Self.now) }
    }

    @Test func keyIsSentAndNeverPrinted() throws {
        let server = Recorder("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
        let api = StripeAPI(key: "rk_test_secret", address: server.url)
        let error = #expect(throws: StoreAPIError.self) { try api.statement(of: Self.key, now: Self.now) }
        #expect(error?.description.contains("rk_test_secret") == false)
        let request = server.requests.first ?? ""
        #expect(request.contains("Authorization: Bearer rk_test_secret\r\n") && request.contains("Stripe-Version: "))
    }
}
