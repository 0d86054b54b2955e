import Domain
import StoreInterface
import Testing

/// Bodies that are signed as they should be, and wrong all the same.
@Suite(.timeLimit(.minutes(10))) struct StripeAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var bend: @Sendable (inout StripeSpecimen) -> Void

        init(_ name: String, _ code: String, _ bend: @escaping @Sendable (inout StripeSpecimen) -> Void) {
            testDescription = name
            self.code = code
            self.bend = bend
        }

        static func body(_ name: String, _ code: String, _ text: String) -> Attack {
            Attack(name, code) { $0.editBody = { _ in Array(text.utf8) } }
        }

        /// One member of the event replaced; nil takes it away.
        static func member(_ name: String, _ member: String, _ value: JSON?) -> Attack {
            Attack(name, "invalid_payload") { $0.document[member] = value }
        }
    }

    static let attacks = [
        .body("nothing", "invalid_json", ""),
        .body("no JSON", "invalid_json", "hello"),
        .body("an array", "invalid_json", "[]"),
        .body("a huge array", "invalid_json", "[" + String(repeating: "0,", count: 120_000) + "0]"),
        .body("deeply nested", "invalid_json", #"{"a":"# + String(repeating: "[", count: 100_000)),
        .body(
            "nested 17 deep",
            "invalid_json",
            #"{"a":"# + String(repeating: "[", count: 17) + String(repeating: "]", count: 17) + "}"
        ),
        Attack("truncated", "invalid_json") { $0.editBody = { Array($0.dropLast(3)) } },
        Attack("two documents", "invalid_json") { $0.editBody = { $0 + $0 } },
        Attack("not UTF-8", "invalid_json") { $0.editBody = { $0.map { $0 == UInt8(ascii: "s") ? 0xFF : $0 } } },
        Attack("a member twice", "duplicate_member") {
            $0.editBody = { Array(#"{"id":"evt_0","#.utf8) + $0.dropFirst() }
        },
        Attack("a member twice, once escaped", "duplicate_member") {
            $0.editBody = { Array(#"{"\u0069d":"evt_0","#.utf8) + $0.dropFirst() }
        },
        Attack("a member twice deep inside", "duplicate_member") {
            $0.document["data"]?["object"]?["x"] = .raw(#"[{"a":1,"a":2}]"#)
        },
        Attack("a thin event", "thin_event") { $0.document["object"] = "v2.core.event" },
        .member("no id", "id", nil),
        .member("an id that is a number", "id", 1),
        .member("an empty id", "id", ""),
        .member("a control character in the id", "id", .raw(#""evt_\u0000""#)),
        .member("an id of 256 bytes", "id", .text(String(repeating: "e", count: 256))),
        .member("no type", "type", nil),
        .member("a line break in the type", "type", .raw(#""a\nb""#)),
        .member("no date", "created", nil),
        .member("a date that is text", "created", "1767225600"),
        .member("before 1970", "created", -1),
        .member("after 2100", "created", 4_102_444_801),
        .member("beyond 2^53", "created", .raw("9007199254740993000")),
        .member("beyond everything", "created", .raw("1e999")),
        .member("a date of 100,000 digits", "created", .raw(String(repeating: "9", count: 100_000))),
        .member("no mode", "livemode", nil),
        .member("a mode that is text", "livemode", "true"),
        .member("no data", "data", nil),
        .member("no object", "data", ["object": .raw("null")]),
        .member("an object that is text", "data", ["object": "sub_1"]),
        .member("a control character in the account", "account", .raw(#""acct_\u0007""#)),
    ]

    @Test(arguments: attacks) func isRefused(_ attack: Attack) throws {
        var specimen = StripeSpecimen()
        _ = try specimen.verify()
        attack.bend(&specimen)
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

        init(_ name: String, _ member: String, _ value: JSON?, _ state: ContractState?, until: Int64? = 1_769_817_600) {
            testDescription = name
            self.member = member
            self.value = value
            self.state = state
            self.until = state == nil ? nil : until
        }
    }

    @Test(arguments: [
        Oddity("unknown status", "status", "dancing", nil),
        Oddity("no status", "status", nil, nil),
        Oddity("status that is a number", "status", 1, nil),
        Oddity("no end", "current_period_end", nil, nil),
        Oddity("end that is text", "current_period_end", "1769817600", nil),
        Oddity("end beyond 2^53", "current_period_end", .raw("9007199254740993"), nil),
        Oddity("end beyond everything", "current_period_end", .raw("1e400"), nil),
        Oddity("end with a fraction", "current_period_end", .raw("1769817600.9"), .active),
        Oddity("end with an exponent", "current_period_end", .raw("1.7698176e9"), .active),
        Oddity("end before 1970", "current_period_end", -5, .active, until: -5),
        Oddity("end after 2100", "current_period_end", 7_258_118_400, .active, until: 7_258_118_400),
        Oddity("no items", "items", nil, nil),
        Oddity("items that are text", "items", "si_1", nil),
        Oddity("items without a price", "items", ["data": [["id": "si_1"]]], nil),
        Oddity("empty price", "items", ["data": [["price": ["id": ""]]]], nil),
        Oddity("control character in the price", "items", ["data": [["price": ["id": .raw(#""p\u001b""#)]]]], nil),
        Oddity("price in place of an object", "items", ["data": [["price": "price_1"]]], .active),
        Oddity("product expanded", "items", ["data": [["price": ["product": ["id": "prod_1"]]]]], .active),
        Oddity("customer expanded", "customer", ["id": "cus_1", "object": "customer"], .active),
        Oddity("no customer", "customer", nil, .active),
        Oddity("no metadata", "metadata", nil, .active),
        Oddity("metadata that are text", "metadata", "order", .active),
        Oddity("order that is no UUID", "metadata", ["order": "A-1000"], .active),
        Oddity("collection paused", "pause_collection", ["behavior": "void"], .active),
        Oddity("cancel_at that is text", "cancel_at", "soon", .active),
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
    @Test(arguments: ["acct_evil", "stripe", "ACCT_1"]) func accountThatIsNotListedIsRefused(_ account: String) throws {
        let specimen = StripeSpecimen { $0["account"] = .text(account) }
        #expect(throws: VerificationError.wrongApp) { try specimen.verify() }
        #expect(throws: VerificationError.wrongApp) { try specimen.verify(accounts: ["acct_1"]) }
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
