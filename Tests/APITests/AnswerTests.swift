import APIModel
import Pages
import Testing

@testable import API
@testable import Domain

/// The bytes of answers: members are sorted, what is absent is null or left out as each type says, and a client reads
/// back what was written.
@Suite struct AnswerTests {
    private static let stream = StreamAnswer(
        stream: "user:42:paywall",
        signedStream: "s--1",
        since: "e-0",
        sse: "https://h/streams?name=s--1&since=e-0",
        websocket: "wss://h/streams?name=s--1&since=e-0"
    )

    private func check<Answer: Codable & Equatable>(_ answer: Answer, is json: String) {
        #expect(String(decoding: JSON.encode(answer), as: UTF8.self) == json)
        #expect(JSON.decode(Answer.self, from: JSON.encode(answer)) == answer)
    }

    @Test func createdOrderHasTheMembersOfItsStream() throws {
        let token = try #require(OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165"))
        check(
            CreateOrderAnswer(Order(token: token, user: "42", product: "pro"), stream: Self.stream),
            is: #"{"order":"a5af9b36-0e4d-4665-8351-0e4003752165","product":"pro","signed_stream":"s--1","#
                + #""since":"e-0","sse":"https://h/streams?name=s--1&since=e-0","stream":"user:42:paywall","#
                + #""user":"42","websocket":"wss://h/streams?name=s--1&since=e-0"}"#
        )
    }

    private static let summary = ContractSummary(
        product: "pro",
        opens: [.standard],
        group: nil,
        state: .owned,
        isActive: true,
        accessUntil: nil,
        autoRenew: nil,
        pendingProduct: nil,
        provider: .apple,
        store: "apple",
        environment: .sandbox,
        contract: "1001",
        isFamilyShared: false
    )

    @Test func entitlementShowsWhatIsAbsent() {
        let summary = Self.summary
        let members =
            #""access_until":null,"active":true,"auto_renew":null,"contract":"1001","entitlements":["default"],"#
            + #""environment":"Sandbox","family":false,"group":null,"pending_product":null,"product":"pro","#
            + #""provider":"apple","state":"owned","store":"apple","trial":false,"trial_ends_at":null"#
        check(ContractItem(summary), is: "{\(members)}")
        check(
            EntitlementsAnswer(
                user: "42",
                entitlements: Self.held.entitlements,
                contracts: [summary],
                since: Cursor(epoch: "e", position: 7)
            ),
            is: #"{"active":true,"contracts":[{\#(members)}],"entitlements":{"default":{"access_until":null,"#
                + #""active":true,"auto_renew":null,"contract":"1001","product":"pro","provider":"apple","#
                + #""state":"owned","store":"apple","trial":false,"trial_ends_at":null}},"since":"e-7","user":"42"}"#
        )
    }

    /// Google's contract is the purchase token, which is as good as the purchase.
    @Test func holderOfANameLearnsNoContract() {
        check(
            StreamEntitlementsAnswer(
                user: "42",
                entitlements: Self.held.entitlements,
                contracts: [Self.summary]
            ),
            is: #"{"active":true,"contracts":[{"access_until":null,"active":true,"auto_renew":null,"#
                + #""entitlements":["default"],"environment":"Sandbox","family":false,"group":null,"#
                + #""pending_product":null,"product":"pro","provider":"apple","state":"owned","store":"apple","#
                + #""trial":false,"trial_ends_at":null}],"#
                + #""entitlements":{"default":{"access_until":null,"active":true,"auto_renew":null,"product":"pro","#
                + #""provider":"apple","state":"owned","store":"apple","trial":false,"trial_ends_at":null}},"user":"42"}"#
        )
    }

    /// Who never bought has every entitlement of the catalog all the same, so that a backend may ask `entitlements.pro.active`.
    @Test func strangerHasNoneOfEach() throws {
        let names = ["pro", "maps"].compactMap(EntitlementName.init)
        let policy = AccessPolicy(sandboxUsers: .any, catalog: Catalog(entitlements: names))
        let nobody = EntitlementSet(user: "43", held: [], policy: policy)
        let nothing =
            #"{"access_until":null,"active":false,"auto_renew":null,"product":null,"provider":null,"state":null,"#
            + #""store":null,"trial":false,"trial_ends_at":null}"#
        let cursor = Cursor(epoch: "e", position: 7)
        check(
            EntitlementsAnswer(user: "43", entitlements: nobody.entitlements, contracts: [], since: cursor),
            is: #"{"active":false,"contracts":[],"entitlements":{"maps":\#(nothing),"pro":\#(nothing)},"since":"e-7","#
                + #""user":"43"}"#
        )
    }

    /// What `summary` sums up.
    private static var held: EntitlementSet {
        let key = ContractKey(provider: .apple, environment: .sandbox, app: "a", lineage: "1001")
        let contract = HeldContract(
            of: Contract(key: key, kind: .nonConsumable),
            status: ContractStatus(state: .owned, product: "pro")
        )
        return EntitlementSet(user: "42", held: [contract], policy: AccessPolicy(sandboxUsers: .any))
    }

    @Test func lastPageOfEventsSaysSo() {
        let answer = UserEventsAnswer(user: "42", events: [], next: nil, since: "e-7")
        check(answer, is: #"{"events":[],"next":null,"since":"e-7","user":"42"}"#)
    }

    @Test func commitLeavesOutWhatNobodyClaimed() {
        var result = CommitResult(outcome: .applied, event: "n/1", cursor: Cursor(epoch: "e", position: 7))
        check(CommitAnswer(result), is: #"{"cursor":"e-7","event":"n/1","outcome":"applied"}"#)
        let words: [(ClaimOutcome, String)] = [
            (.granted, "yours"), (.moved, "yours"), (.shared, "yours"), (.untouched, "others"), (.nobody, "nobody"),
        ]
        for (claim, word) in words {
            result.claim = claim
            check(
                CommitAnswer(result),
                is: #"{"claim":"\#(word)","cursor":"e-7","event":"n/1","outcome":"applied"}"#
            )
        }
    }

    @Test(arguments: ["n/1", "\"quoted\" \\ é\u{2028}", ""]) func commitsAreWrittenByHandAsTheTypeSays(_ event: String)
    {
        for claim in [nil, ClaimOutcome.granted] {
            let cursor = Cursor(epoch: "e", position: .max)
            let answer = CommitAnswer(CommitResult(outcome: .stale, event: event, cursor: cursor, claim: claim))
            #expect(answer.json == JSON.encode(answer))
        }
        for message in [event, "\(event)\n\t"] {
            let refusal = ErrorAnswer(error: "code", message: message)
            #expect(refusal.json == JSON.encode(refusal))
        }
    }

    @Test(arguments: ["42", "\"quoted\" \\ é\u{2028}"]) func messagesAreWrittenByHandAsTheTypeSays(_ user: String) {
        let full = ContractSummary(
            product: "pro/1",
            opens: [.standard],
            group: user,
            state: .active,
            isActive: true,
            accessUntil: Instant(milliseconds: 1_766_000_000_123),
            autoRenew: false,
            trialEndsAt: Instant(milliseconds: 1_766_094_420_000),
            pendingProduct: "pro/2",
            provider: .google,
            store: "google",
            environment: .sandbox,
            contract: "c",
            isFamilyShared: true,
            quantity: 3
        )
        var bare = full
        (bare.group, bare.accessUntil, bare.autoRenew, bare.pendingProduct, bare.quantity) = (nil, nil, nil, nil, nil)
        var notice = Notice(kind: .subscriptionExpired)
        let cursor = Cursor(epoch: "e", position: 7)
        let at = Instant(milliseconds: 1_766_000_000_000)
        for items in [[], [full], [full, bare]] {
            let answer = EntitlementsAnswer(
                user: UserID(user),
                entitlements: Self.held.entitlements,
                contracts: items,
                since: cursor
            )
            let content = HookMessage.Content(
                user: UserID(user),
                answer: answer,
                cause: HookMessage.Cause(notice),
                cursor: cursor,
                superseded: items.count
            )
            let message = HookMessage(type: "entitlements.changed", timestamp: at, data: content)
            #expect(message.json == JSON.encode(message))
            (notice.provider, notice.type, notice.event, notice.contract) = (.apple, "DID_RENEW", user, "c")
            notice.order = OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165")
            notice.context.successURL = "/thanks"
            notice.context.metadata = ["cart": user, "Other_2": "x"]
        }
        let erased = HookMessage.Content(user: UserID(user), answer: nil, cause: nil, cursor: cursor, superseded: 0)
        for content in [HookMessage.Content(), erased] {
            let message = HookMessage(type: "paycast.test", timestamp: at, data: content)
            #expect(message.json == JSON.encode(message))
        }
    }

    @Test func acceptedBroadcastsAreWrittenByHandAsTheTypeSays() throws {
        let response = Services.accepted(["e-7", nil])
        let answer = try #require(JSON.decode(BroadcastAnswer.self, from: response.body))
        #expect(answer.cursors == ["e-7", nil])
        #expect(JSON.encode(answer) == response.body)
    }
}
