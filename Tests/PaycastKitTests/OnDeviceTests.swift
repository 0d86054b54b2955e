import Foundation
import Testing

@testable import PaycastKit

@Suite(
    "Access while the server is away: what the store has proven counts, for its user alone, until the server answers"
)
struct OnDeviceTests {
    private let app = App()
    private let order = Fixture.order()
    private let none = #"{"active":false,"entitlements":{},"contracts":[]}"#

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var events: [PurchaseEvent]
        var counts: [String: [UInt64]]

        private static let (ann, bob) = (Fixture.stream(of: "ann"), Fixture.stream(of: "bob"))
        private static let tokenless = Fixture.transaction(2, token: nil)

        private static func changed(_ change: (inout SignedTransaction) -> Void) -> SignedTransaction {
            var transaction = tokenless
            change(&transaction)
            return transaction
        }

        static let all = [
            Case(
                testDescription: "of ann's order",
                events: [.loggedIn(ann), .arrived(Fixture.transaction())],
                counts: ["ann": [1]]
            ),
            Case(
                testDescription: "of ann's order, though bob is there",
                events: [.loggedIn(bob), .arrived(Fixture.transaction())],
                counts: ["ann": [1]]
            ),
            Case(
                testDescription: "of ann's order, though bob restores it",
                events: [.loggedIn(bob), .restored(Fixture.transaction(), ticket: Ticket(number: 1))],
                counts: ["ann": [1]]
            ),
            Case(
                testDescription: "of an order that this device does not know, even of a tap",
                events: [
                    .loggedIn(ann),
                    .restored(Fixture.transaction(3, token: Fixture.token(9)), ticket: Ticket(number: 1)),
                ],
                counts: [:]
            ),
            Case(
                testDescription: "without an order",
                events: [.loggedIn(bob), .arrived(tokenless)],
                counts: ["bob": [2]]
            ),
            Case(
                testDescription: "taken back",
                events: [.loggedIn(ann), .arrived(changed { $0.isRevoked = true })],
                counts: [:]
            ),
            Case(
                testDescription: "replaced",
                events: [.loggedIn(ann), .arrived(changed { $0.isUpgraded = true })],
                counts: [:]
            ),
            Case(
                testDescription: "coins",
                events: [.loggedIn(ann), .arrived(changed { $0.productType = .consumable })],
                counts: [:]
            ),
            Case(
                testDescription: "over",
                events: [.loggedIn(ann), .arrived(changed { $0.expiresAt = Fixture.start })],
                counts: [:]
            ),
        ]
    }

    @Test("Whose, and what", arguments: Case.all)
    func proven(of it: Case) {
        for answer in [PostAnswer.unreachable, .refused(code: "bad"), .unauthorized(code: "expired"), nil] {
            var driver = Driver.placed()
            let posts = it.events.flatMap { driver.send($0).posts }
            if let answer { for post in posts { _ = driver.send(.answered(post, answer)) } }
            for user in ["ann", "bob"] {
                let proven = driver.machine.proven(to: Fixture.stream(of: user).owner, at: driver.now).map(\.id)
                #expect(
                    proven == (answer == .unreachable ? it.counts[user] ?? [] : []),
                    "\(user) \(String(describing: answer))"
                )
            }
        }
    }

    @Test("Bought while the server is away, it is open at once, marked, and becomes the server's word without a gap")
    func away() async throws {
        await app.server.answer("entitlements", 200, none)
        await app.server.answer(
            "catalog",
            200,
            #"{"entitlements":[{"name":"pro"}],"products":[{"id":"pro.annual","entitlements":["pro"]}]}"#
        )
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        _ = try await purchases.catalog()
        #expect(await app.eventually { await purchases.currentEntitlements() != .unknown })
        await app.server.answer("transactions/apple", nil)
        await app.server.answer("entitlements", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .kept(.offline))
        guard case .onDevice(let open) = await purchases.currentEntitlements() else {
            Issue.record("not on the device")
            return
        }
        #expect(open.isActive("pro") && open.isActive())
        let page = Data(#"{"stream":"\#(Fixture.stream(of: "ann").rawValue)"}"#.utf8)
        #expect(String(decoding: await purchases.handle("state", json: page), as: UTF8.self).contains("on_device"))

        let gaps = Gaps()
        let reader = Task { for await state in purchases.entitlements { await gaps.note(state) } }
        defer { reader.cancel() }
        let pro = #"{"active":true,"entitlements":{"pro":{"active":true}},"contracts":[]}"#
        await app.server.answer("transactions/apple", 200, #"{"outcome":"applied","event":"e","claim":"yours"}"#)
        app.clock.advance(1)
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(await purchases.isActive("pro"), "the server has it, and does not tell yet what it opens")
        await app.server.answer("entitlements", 200, pro)
        #expect(
            await app.eventually {
                app.clock.advance(1)
                if case .current = await purchases.currentEntitlements() { return true }
                return false
            }
        )
        #expect(await purchases.isActive("pro"))
        #expect(await gaps.count == 0)
    }

    private actor Gaps {
        var count = 0

        func note(_ state: EntitlementState) { if !state.isActive("pro") { count += 1 } }
    }

    @Test("What the server calls another user's opens nothing any more")
    func others() async throws {
        await app.server.answer("entitlements", 200, none)
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        await app.server.answer("transactions/apple", nil)
        app.store.bring(.signed(Fixture.transaction(token: nil)))
        #expect(await app.eventually { await purchases.isActive() })
        purchases.logIn(Fixture.stream(of: "bob"))
        #expect(await app.eventually { await !purchases.isActive() })
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { await purchases.isActive() })
        await app.server.answer("transactions/apple", 409, #"{"error":"owned_by_other","message":"."}"#)
        app.clock.advance(5)
        #expect(await app.eventually { await !purchases.isActive() })
    }

    @Test("What a product opens: by the catalog, by a contract of it, or the main entitlement alone")
    func opens() {
        let both = Catalog(
            entitlements: [.init(name: "pro"), .init(name: "maps")],
            products: [.init(id: "pro.annual", entitlements: ["pro"]), .init(id: "maps", entitlements: ["maps"])]
        )
        func known(_ names: [String], _ contract: [String]?) -> Entitlements {
            let closed = names.map { ($0, Entitlement(active: false)) }
            let past = contract.map {
                Contract(product: "pro.annual", state: "expired", active: false, entitlements: $0)
            }
            return Entitlements(
                active: false,
                entitlements: Dictionary(uniqueKeysWithValues: closed),
                contracts: [past].compactMap(\.self)
            )
        }
        let cases: [(product: String, catalog: Catalog?, known: Entitlements, opens: [String], main: Bool)] = [
            ("pro.annual", both, known([], nil), ["pro"], true),
            ("maps", both, known([], nil), ["maps"], false),
            ("new", both, known([], nil), [], false),
            ("pro.annual", nil, known(["pro"], ["pro"]), ["pro"], true),
            ("pro.annual", nil, known(["maps", "pro"], ["pro"]), ["pro"], false),
            ("pro.annual", nil, known(["pro"], nil), [], true),
            ("tips", nil, known(["pro"], ["pro"]), [], true),
        ]
        for (product, catalog, known, opens, main) in cases {
            let sum = known.adding([Fixture.transaction(product: product)], catalog: catalog)
            #expect(sum.entitlements.filter(\.value.active).keys.sorted() == opens, "\(product) \(known)")
            #expect(sum.active == main, "\(product) \(known)")
            #expect(sum.contracts.map(\.product) == [product] || product == "tips")
        }
    }
}
