import Domain
import Stores
import Testing

/// Bodies that are signed as they should be, and wrong all the same.
@Suite struct StripeAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var change: @Sendable (inout StripeSpecimen) -> Void

        init(_ name: String, code: String, change: @escaping @Sendable (inout StripeSpecimen) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }

        static func body(_ name: String, code: String, text: String) -> Attack {
            Attack(name, code: code) { $0.editBody = { _ in Array(text.utf8) } }
        }

        /// One member of the event replaced; nil takes it away.
        static func member(_ name: String, named member: String, value: JSON?) -> Attack {
            Attack(name, code: "invalid_payload") { $0.document[member] = value }
        }
    }

    static let attacks = [
        .body("nothing", code: "invalid_json", text: ""),
        .body("no JSON", code: "invalid_json", text: "hello"),
        .body("an array", code: "invalid_json", text: "[]"),
        .body("a huge array", code: "invalid_json", text: "[" + String(repeating: "0,", count: 120_000) + "0]"),
        .body("deeply nested", code: "invalid_json", text: #"{"a":"# + String(repeating: "[", count: 100_000)),
        .body(
            "nested 17 deep",
            code: "invalid_json",
            text: #"{"a":"# + String(repeating: "[", count: 17) + String(repeating: "]", count: 17) + "}"
        ),
        Attack("truncated", code: "invalid_json") { $0.editBody = { Array($0.dropLast(3)) } },
        Attack("two documents", code: "invalid_json") { $0.editBody = { $0 + $0 } },
        Attack("not UTF-8", code: "invalid_json") { $0.editBody = { $0.map { $0 == UInt8(ascii: "s") ? 0xFF : $0 } } },
        Attack("a member twice", code: "duplicate_member") {
            $0.editBody = { Array(#"{"id":"evt_0","#.utf8) + $0.dropFirst() }
        },
        Attack("a member twice, once escaped", code: "duplicate_member") {
            $0.editBody = { Array(#"{"\u0069d":"evt_0","#.utf8) + $0.dropFirst() }
        },
        Attack("a member twice deep inside", code: "duplicate_member") {
            $0.document["data"]?["object"]?["x"] = .raw(#"[{"a":1,"a":2}]"#)
        },
        Attack("a thin event", code: "thin_event") { $0.document["object"] = "v2.core.event" },
        .member("no id", named: "id", value: nil),
        .member("an id that is a number", named: "id", value: 1),
        .member("an empty id", named: "id", value: ""),
        .member("a control character in the id", named: "id", value: .raw(#""evt_\u0000""#)),
        .member("an id of 256 bytes", named: "id", value: .text(String(repeating: "e", count: 256))),
        .member("no type", named: "type", value: nil),
        .member("a line break in the type", named: "type", value: .raw(#""a\nb""#)),
        .member("no date", named: "created", value: nil),
        .member("a date that is text", named: "created", value: "1767225600"),
        .member("before 1970", named: "created", value: -1),
        .member("after 2100", named: "created", value: 4_102_444_801),
        .member("beyond 2^53", named: "created", value: .raw("9007199254740993000")),
        .member("beyond everything", named: "created", value: .raw("1e999")),
        .member("a date of 100,000 digits", named: "created", value: .raw(String(repeating: "9", count: 100_000))),
        .member("no mode", named: "livemode", value: nil),
        .member("a mode that is text", named: "livemode", value: "true"),
        .member("no data", named: "data", value: nil),
        .member("no object", named: "data", value: ["object": .raw("null")]),
        .member("an object that is text", named: "data", value: ["object": "sub_1"]),
        .member("a control character in the account", named: "account", value: .raw(#""acct_\u0007""#)),
    ]

    @Test(arguments: attacks) func isRefused(_ attack: Attack) throws {
        var specimen = StripeSpecimen()
        _ = try specimen.verify()
        attack.change(&specimen)
        let error = #expect(throws: VerificationError.self) { try specimen.verify() }
        #expect(error?.code == attack.code)
        #expect(error?.isRetryable == false)
    }

    /// What one strange member leaves of the subscription.
    struct Oddity: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var member: String
        var value: JSON?
        /// Nil: it is kept, and changes nothing.
        var state: ContractState?
        var until: Int64?

        init(_ name: String, member: String, value: JSON?, state: ContractState?, until: Int64? = 1_769_817_600) {
            testDescription = name
            self.member = member
            self.value = value
            self.state = state
            self.until = state == nil ? nil : until
        }
    }

    @Test(arguments: [
        Oddity("unknown status", member: "status", value: "dancing", state: nil),
        Oddity("no status", member: "status", value: nil, state: nil),
        Oddity("status that is a number", member: "status", value: 1, state: nil),
        Oddity("no end", member: "current_period_end", value: nil, state: nil),
        Oddity("end that is text", member: "current_period_end", value: "1769817600", state: nil),
        Oddity("end beyond 2^53", member: "current_period_end", value: .raw("9007199254740993"), state: nil),
        Oddity("end beyond everything", member: "current_period_end", value: .raw("1e400"), state: nil),
        Oddity("end with a fraction", member: "current_period_end", value: .raw("1769817600.9"), state: .active),
        Oddity("end with an exponent", member: "current_period_end", value: .raw("1.7698176e9"), state: .active),
        Oddity("end before 1970", member: "current_period_end", value: -5, state: .active, until: -5),
        Oddity(
            "end after 2100",
            member: "current_period_end",
            value: 7_258_118_400,
            state: .active,
            until: 7_258_118_400
        ),
        Oddity("no items", member: "items", value: nil, state: nil),
        Oddity("items that are text", member: "items", value: "si_1", state: nil),
        Oddity("items without a price", member: "items", value: ["data": [["id": "si_1"]]], state: nil),
        Oddity("empty price", member: "items", value: ["data": [["price": ["id": ""]]]], state: nil),
        Oddity(
            "control character in the price",
            member: "items",
            value: ["data": [["price": ["id": .raw(#""p\u001b""#)]]]],
            state: nil
        ),
        Oddity("price in place of an object", member: "items", value: ["data": [["price": "price_1"]]], state: .active),
        Oddity(
            "product expanded",
            member: "items",
            value: ["data": [["price": ["product": ["id": "prod_1"]]]]],
            state: .active
        ),
        Oddity("customer expanded", member: "customer", value: ["id": "cus_1", "object": "customer"], state: .active),
        Oddity("no customer", member: "customer", value: nil, state: .active),
        Oddity("no metadata", member: "metadata", value: nil, state: .active),
        Oddity("metadata that are text", member: "metadata", value: "order", state: .active),
        Oddity("order that is no UUID", member: "metadata", value: ["order": "A-1000"], state: .active),
        Oddity("collection paused", member: "pause_collection", value: ["behavior": "void"], state: .active),
        Oddity("cancel_at that is text", member: "cancel_at", value: "soon", state: .active),
    ]) func strangeMemberIsNoMoreThanAbsent(_ oddity: Oddity) throws {
        let event = try StripeSpecimen.subscription { $0[oddity.member] = oddity.value }.verify()
        let snapshot = event.observation?.snapshot
        #expect(snapshot?.state == oddity.state)
        #expect(snapshot?.accessUntil?.seconds == oddity.until)
        #expect(event.observation?.contract.lineage == "sub_1")
    }

    @Test(arguments: [JSON?.none, "", 7, .raw(#""sub_\u0001""#), .text(String(repeating: "s", count: 256))])
    func subscriptionWithoutAnIDIsKeptAndChangesNothing(_ id: JSON?) throws {
        let event = try StripeSpecimen.subscription { $0["id"] = id }.verify()
        #expect(event.observation == nil)
        #expect(event.kind == .subscriptionStarted)
    }

    /// The other mode is another contract: it never touches the one that was paid for.
    @Test func testModeIsOfTheSandbox() throws {
        let event = try StripeSpecimen { $0["livemode"] = false }.verify()
        #expect(event.environment == .sandbox)
        #expect(event.observation?.contract.environment == .sandbox)
        #expect(try StripeSpecimen().verify().environment == .production)
    }

    @Test func connectedAccountIsAnAppOfItsOwn() throws {
        let event = try StripeSpecimen { $0["account"] = "acct_1" }.verify(accounts: ["acct_1"])
        #expect(event.app == "acct_1" && event.observation?.contract.app == "acct_1")
        #expect(try StripeSpecimen().verify().app == "stripe")
    }

    /// Anybody's connected account may name our order in a purchase of its own.
    @Test(arguments: ["acct_evil", "stripe", "ACCT_1"]) func accountThatIsNotListedMeansNothing(_ account: String)
        throws
    {
        let specimen = StripeSpecimen { $0["account"] = .text(account) }
        #expect(throws: VerificationError.wrongApp) { try specimen.verify() }
        let event = try specimen.verify(accounts: ["acct_1"])
        #expect(event.observation == nil && event.further.isEmpty && !event.isWhole && event.account == nil)
        #expect(event.kind == .providerUnknown && event.subtype == "unlisted_account")
        #expect(event.app == account && event.type == "customer.subscription.created")
    }

    /// Templates escape it; nothing here may lose it or fall over it.
    @Test func markupIsTextLikeAnyOther() throws {
        let markup = "<script>alert('1')</script>&amp;"
        var specimen = StripeSpecimen.subscription { object in
            object["id"] = .text(markup)
            object["customer"] = .text(markup)
            object["items"] = ["data": [["price": ["id": .text(markup)]]]]
        }
        specimen.document["id"] = .text(markup)
        specimen.document["type"] = .text(markup)
        let event = try specimen.verify()
        #expect(event.id == markup && event.type == markup && event.kind == .providerUnknown)
        #expect(event.observation?.snapshot?.product == markup)
        #expect(event.observation?.account == markup)
    }
}
