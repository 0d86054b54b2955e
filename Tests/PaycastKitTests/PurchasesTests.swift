import Foundation
import Testing

@testable import PaycastKit

@Suite("Purchases, as an app sees them")
struct PurchasesTests {
    private let app = App()
    private let order = Fixture.order()
    private let pro = #"{"active":true,"entitlements":{"pro":{"active":true,"state":"active"}},"contracts":[]}"#
    private let known = Entitlements(
        active: true,
        entitlements: ["pro": Entitlement(active: true, state: "active")],
        contracts: []
    )

    @Test("Bought, posted, granted, finished, forgotten")
    func granted() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .granted(Fixture.grant))
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(await app.eventually { app.folder.names == ["book", "entitlements"] })
        #expect(await app.store.purchases == [order.token])
    }

    @Test("An offer reaches the store with the purchase that it was chosen for, and no other")
    func offer() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        let offers: [PurchaseOffer?] = [
            .winBack(id: "back"), .promotional(id: "half", jws: "a.b.c"), .introductory(jws: "a.b.c"), nil,
        ]
        for offer in offers {
            #expect(try await purchases.buy("pro.annual", order: order, offer: offer) == .cancelled)
            #expect(await app.store.offers.last == offer)
        }
        await app.store.fail(.unknownOffer)
        await #expect(throws: PurchaseError.unknownOffer) {
            try await purchases.buy("pro.annual", order: order, offer: .winBack(id: "gone"))
        }
    }

    @Test("An offer that the store does not know by its name is signed by the server, if it signs it")
    func signedOffer() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.refuse(.named(id: "half"))
        await app.server.answer("offers/apple", 200, #"{"jws":"a.b.c"}"#)
        #expect(try await purchases.buy("pro.annual", order: order, offer: .named(id: "half")) == .cancelled)
        #expect(await app.store.offers == [.named(id: "half"), .promotional(id: "half", jws: "a.b.c")])
        let body = try #require(await app.server.requests.first { $0.path == "offers/apple" }?.body)
        let asked = try JSONDecoder().decode([String: String].self, from: body)
        #expect(asked == ["stream": Fixture.stream(of: "ann").rawValue, "product": "pro.annual", "offer": "half"])
        for (status, error) in [(404, PurchaseError.unknownOffer), (503, .offline)] {
            await app.server.answer("offers/apple", status, #"{"error":"no"}"#)
            await #expect(throws: error) {
                try await purchases.buy("pro.annual", order: order, offer: .named(id: "half"))
            }
        }
    }

    @Test("Products come in the order of the ids, without those that the store does not know")
    func products() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        let found = try await purchases.products(["coins", "gone", "pro.trial", "pro.annual"])
        #expect(found.map(\.id) == ["coins", "pro.trial", "pro.annual"])
    }

    @Test("Cancelled, pending and failed")
    func ends() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        #expect(try await purchases.buy("pro.annual", order: order) == .cancelled)
        await app.store.answer(.pending)
        #expect(try await purchases.buy("pro.annual", order: order) == .pending)
        await app.store.fail(.unknownProduct)
        await #expect(throws: PurchaseError.unknownProduct) { try await purchases.buy("nothing", order: order) }
        await #expect(throws: PurchaseError.noOrder) { try await purchases.buy("pro.annual") }
        #expect(await app.server.count("transactions/apple") == 0)
    }

    @Test("Server down: kept, posted after the back-off, then finished")
    func kept() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .kept(.offline))
        #expect(await app.store.finished.isEmpty)
        await app.server.answer("transactions/apple", 200, #"{"outcome":"applied","event":"e","claim":"yours"}"#)
        #expect(
            await app.eventually {
                app.clock.advance(1)
                return await app.store.finished == [1]
            }
        )
        #expect(await app.server.count("transactions/apple") == 2)
    }

    @Test("What becomes due while the disk is slow is posted all the same")
    func slowDisk() async throws {
        let purchases = app.launch { [clock = app.clock] action in
            if case .save(let book) = action, !book.memos.isEmpty { clock.advance(5) }
        }
        defer { purchases.stop() }
        await app.server.answer("transactions/apple", 503, #"{"error":"busy"}"#, headers: ["Retry-After": "1"])
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .kept(.busy))
        await app.server.answer("transactions/apple", 200, #"{"outcome":"applied","event":"e","claim":"yours"}"#)
        #expect(await app.eventually { await app.store.finished == [1] })
    }

    @Test("Bought while the process dies: the next one posts what the disk and the store kept, once")
    func restart() async throws {
        let first = app.launch()
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await first.buy("pro.annual", order: order) == .kept(.offline))
        first.stop()
        await app.server.answer("transactions/apple", 200, #"{"outcome":"applied","event":"e","claim":"yours"}"#)
        let second = app.launch()
        defer { second.stop() }
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(await app.server.count("transactions/apple") == 2)
    }

    @Test("Not genuine: kept, reported, never finished")
    func refused() async throws {
        let purchases = app.launch()
        await app.server.answer("transactions/apple", 400, #"{"error":"untrusted_chain","message":"."}"#)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .refused)
        var problems = purchases.problems.makeAsyncIterator()
        #expect(await problems.next() == .refused(transaction: 1, code: "untrusted_chain"))
        purchases.stop()
        #expect(await app.store.finished.isEmpty)
        #expect(try app.disk.book?.memos[1]?.asked == true)
    }

    @Test("Restore posts what is owned for the user, and tells what came of each")
    func restore() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        await app.store.hold(Fixture.transaction(7, token: nil))
        let restoration = try await purchases.restore()
        #expect(restoration.items.map(\.originalID) == [7])
        #expect(restoration.items.map(\.outcome) == [.granted(Fixture.grant)])
        await app.store.goOffline()
        await #expect(throws: PurchaseError.store("offline")) { try await purchases.restore() }
    }

    @Test("What the store account owns is claimed without a sheet")
    func claimed() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.hold(Fixture.transaction(7, token: nil))
        await app.store.closePasswordSheet()
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(try await purchases.claim().items.map(\.outcome) == [.granted(Fixture.grant)])
    }

    @Test("What is restored is for the user who asked, though another logs in while the store's sheet is up")
    func restoredForWhoAsked() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        await app.store.hold(Fixture.transaction(7, token: nil))
        await app.store.whileSyncing { purchases.logIn(Fixture.stream(of: "bob")) }
        for stream in [nil, Fixture.stream(of: "ann")] as [SignedStream?] {
            #expect(try await purchases.restore(for: stream).items.map(\.outcome) == [.granted(Fixture.grant)])
        }
        let posts = await app.server.requests.filter { $0.path == "transactions/apple" }
        let bodies = posts.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
        #expect(bodies.allSatisfy { $0.contains(Fixture.stream(of: "ann").rawValue) })
    }

    @Test("Entitlements: unknown, current, then last known while offline, also after a restart")
    func entitlements() async throws {
        await app.server.answer("entitlements", 200, pro, headers: ["ETag": "\"1\""])
        let first = app.launch()
        var states = first.entitlements.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        first.logIn(Fixture.stream(of: "ann"))
        #expect(await states.next() == .current(known))
        await app.server.answer("entitlements", nil)
        first.resume()
        #expect(await states.next() == .lastKnown(known, at: Fixture.start))
        await app.server.answer("entitlements", 304, "")
        app.clock.advance(1)
        first.resume()
        #expect(await states.next() == .current(known))
        #expect(await app.server.requests.last?.headers["If-None-Match"] == "\"1\"")
        first.stop()

        await app.server.answer("entitlements", nil)
        let second = app.launch()
        defer { second.stop() }
        #expect(await app.eventually { await second.currentEntitlements() == .lastKnown(known, at: Fixture.start + 1) })
        second.logIn(Fixture.stream(of: "bob"))
        #expect(await app.eventually { await second.currentEntitlements() == .unknown })
    }

    @Test("Bought with an order of the order source, without a log-in: the entitlements are known")
    func orderSource() async throws {
        let purchases = app.launch(orders: FixedOrders())
        defer { purchases.stop() }
        await app.server.answer("entitlements", 200, pro)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual") == .granted(Fixture.grant))
        #expect(await purchases.currentEntitlements() == .current(known))
    }

    @Test("Restored on a new phone with the order source's stream, without a log-in: the entitlements are known")
    func restoredWithoutLogIn() async throws {
        let purchases = app.launch(orders: FixedOrders())
        defer { purchases.stop() }
        await app.server.answer("entitlements", 200, pro)
        await app.store.hold(Fixture.transaction(7, token: nil))
        #expect(try await purchases.restore().items.map(\.outcome) == [.granted(Fixture.grant)])
        #expect(await purchases.currentEntitlements() == .current(known))
    }

    @Test("A stream that the entitlements cannot be read with is reported and renewed by an order")
    func refusedStream() async throws {
        let purchases = app.launch(orders: FixedOrders())
        defer { purchases.stop() }
        await app.server.answer("entitlements", 200, pro)
        await app.store.answer(.bought(Fixture.transaction()))
        let expired = Order(token: Fixture.token(1), stream: Fixture.stream(of: "ann", signing: 0))
        #expect(try await purchases.buy("pro.annual", order: expired) == .granted(Fixture.grant))
        await app.server.answer("entitlements", 403, #"{"error":"expired_stream_name","message":"."}"#)
        app.clock.advance(1)
        purchases.resume()
        var problems = purchases.problems.makeAsyncIterator()
        #expect(await problems.next() == .streamRefused(code: "expired_stream_name"))
        await app.server.answer("entitlements", 200, pro)
        let renewed = Fixture.order().stream?.rawValue
        #expect(await app.eventually { await app.server.requests.last?.query["name"] == renewed })
        #expect(await app.eventually { await purchases.currentEntitlements() == .current(known) })
    }

    @Test("Whoever has bought finds it in the entitlements, even if the question of the log-in is still under way")
    func boughtWhileAsking() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.server.hold("entitlements")
        await app.store.answer(.bought(Fixture.transaction()))
        async let outcome = purchases.buy("pro.annual", order: order)
        #expect(await app.eventually { await app.store.finished == [1] })
        await app.server.answer("entitlements", 200, pro)
        await app.server.release("entitlements")
        #expect(try await outcome == .granted(Fixture.grant))
        #expect(await purchases.currentEntitlements() == .current(known))
        #expect(await app.server.count("entitlements") == 2)
    }

    @Test("A server that is slow to tell the entitlements holds a purchase for three seconds and no longer")
    func slowEntitlements() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.server.hold("entitlements")
        await app.store.answer(.bought(Fixture.transaction()))
        let told = Told()
        let reader = Task { for await open in purchases.openPurchases { await told.note(open.map(\.status)) } }
        defer { reader.cancel() }
        #expect(await app.eventually { await told.all == [[]] })
        let purchase = Task { try await purchases.buy("pro.annual", order: order) }
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(await app.eventually { await told.all.last == [.buying] })
        await app.clock.pass(3)
        #expect(try await purchase.value == .granted(Fixture.grant))
        #expect(app.clock.now >= Fixture.start + 3)
        #expect(await app.eventually { await told.all.last == [] })
        #expect(await told.all.dropFirst().dropLast().allSatisfy { !$0.isEmpty }, "open until it is told")
        await app.server.release("entitlements")
    }

    private actor Told {
        var all: [[OpenPurchase.Status]] = []

        func note(_ open: [OpenPurchase.Status]) { all.append(open) }
    }

    @Test("A process that nobody logs in to asks for the user of the one before, until a log-out")
    func relaunch() async {
        await app.server.answer("entitlements", 200, #"{"active":false,"entitlements":{},"contracts":[]}"#)
        let first = app.launch()
        first.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { app.folder.names.contains("entitlements") })
        first.stop()

        await app.server.answer("entitlements", 200, pro)
        let second = app.launch()
        defer { second.stop() }
        #expect(await app.eventually { await second.currentEntitlements() == .current(known) })
        second.logOut()
        #expect(await app.eventually { !app.folder.names.contains("entitlements") })
        #expect(await second.currentEntitlements() == .unknown)
    }

    /// `p`, which opens `pro`.
    private func held(until end: Date?) -> String {
        let until = end.map { #","access_until":"\#(Instant.text(of: $0))""# } ?? ""
        return #"{"active":true,"entitlements":{"pro":{"active":true\#(until)}},"contracts":[{"product":"p","#
            + #""state":"owned","active":true,"entitlements":["pro"]\#(until)}]}"#
    }

    @Test("Offline, access ends when it was known to end, and a clock that is set back opens nothing again")
    func clockSetBack() async {
        await app.server.answer("entitlements", 200, held(until: Fixture.start + 3600), headers: ["ETag": "\"1\""])
        let first = app.launch()
        first.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { await first.isActive("pro") })
        first.stop()

        await app.server.answer("entitlements", nil)
        let second = app.launch()
        #expect(await app.eventually { await app.server.count("entitlements") > 1 })
        #expect(await second.isActive("pro"))
        app.clock.advance(3600)
        #expect(await !second.isActive("pro"))
        second.stop()

        app.clock.advance(-3600)
        let third = app.launch()
        defer { third.stop() }
        #expect(await !third.isActive("pro"))
        #expect(await !third.isActive())
        await app.server.answer("entitlements", 200, held(until: Fixture.start + 3600))
        app.clock.advance(1)
        third.resume()
        #expect(await app.eventually { await third.isActive("pro") })
        #expect(await app.server.requests.last?.headers["If-None-Match"] == nil)
    }

    @Test("What the account had before the tap is told as that, not asked for, and leaves no page busy")
    func alreadyOwned() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.own(Fixture.transaction())
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .alreadyOwned)
        let posts = await app.server.requests.filter { $0.path == "transactions/apple" }
        #expect(posts.allSatisfy { !String(decoding: $0.body ?? Data(), as: UTF8.self).contains("asked") })
    }

    @Test("What is open is told with each change, also that it has ended")
    func openPurchases() async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        var open = purchases.openPurchases.makeAsyncIterator()
        #expect(await open.next() == [])
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .kept(.offline))
        #expect(await open.next()?.map(\.status).last == .kept)
        await app.server.answer("transactions/apple", 200, #"{"outcome":"applied","event":"e","claim":"yours"}"#)
        app.clock.advance(1)
        #expect(await open.next() == [])
    }

    @Test("When access ends with time, the server is asked again")
    func end() async throws {
        let end = Fixture.start + 3600
        await app.server.answer("entitlements", 200, held(until: end))
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { await purchases.isActive("pro") })
        await app.server.answer("entitlements", 200, #"{"active":false,"entitlements":{},"contracts":[]}"#)
        #expect(
            await app.eventually {
                app.clock.advance(600)
                return await !purchases.isActive("pro")
            }
        )
        #expect(app.clock.now >= end)
        #expect(await app.server.count("entitlements") == 2)
    }

    @Test("A refund drops the last known access at once")
    func refund() async throws {
        await app.server.answer("entitlements", 200, held(until: nil))
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { await purchases.isActive("pro") })
        await app.server.answer("entitlements", nil)
        await app.server.answer("transactions/apple", nil)
        var transaction = Fixture.transaction(product: "p", token: nil)
        transaction.isRevoked = true
        app.store.bring(.signed(transaction))
        #expect(await app.eventually { await !purchases.isActive("pro") })
    }
}
