import Foundation
import Testing

@testable import PaycastKit

@Suite("Purchases, when something is wrong with the app, its disk or its server's address")
struct PurchasesTroubleTests {
    private let app = App()
    private let order = Fixture.order()

    @Test("Whatever needs the start starts it, and a start after that does nothing")
    func forgotten() async throws {
        let uses: [@Sendable (Purchases) async throws -> Void] = [
            { _ = try await $0.buy("pro.annual", order: Fixture.order()) },
            { _ = try await $0.restore() },
            { _ = await $0.handle("state", json: Data()) },
            { _ = await $0.currentEntitlements() },
        ]
        for use in uses {
            let purchases = App().launch(starts: false)
            try await use(purchases)
            purchases.start()
            #expect(try await purchases.buy("pro.annual", order: order) == .cancelled)
            purchases.stop()
        }
    }

    /// What a backend may do instead of making an order.
    struct Trouble: OrderSource, CustomTestStringConvertible {
        var testDescription: String
        var error: PurchaseError
        var order: @Sendable () async throws -> Order

        func order(for product: String) async throws -> Order { try await order() }

        static let all = [
            Trouble(testDescription: "never answers", error: .offline) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                return Fixture.order()
            },
            Trouble(testDescription: "is not reached", error: .offline) { throw URLError(.cannotConnectToHost) },
            Trouble(testDescription: "answers nonsense", error: .orderRefused(code: "order_failed")) {
                try JSONDecoder().decode(Order.self, from: Data("<html>".utf8))
            },
            Trouble(testDescription: "refuses", error: .orderRefused(code: "no")) {
                throw PurchaseError.orderRefused(code: "no")
            },
        ]
    }

    @Test(
        "An order that never comes, or that cannot be made, ends the purchase with the reason",
        arguments: Trouble.all
    )
    func noOrder(trouble: Trouble) async {
        let purchases = app.launch(orders: trouble)
        defer { purchases.stop() }
        for _ in 0..<2 {
            let purchase = Task { () -> PurchaseError? in
                do {
                    _ = try await purchases.buy("pro.annual")
                    return nil
                } catch {
                    return error as? PurchaseError
                }
            }
            // Most do not keep it waiting.
            let passing = Task { await app.clock.pass(PurchaseEngine.patience) }
            #expect(await purchase.value == trouble.error)
            passing.cancel()
            await passing.value
        }
    }

    @Test("The entitlements, read once after the log-in")
    func readOnce() async {
        let pro = #"{"active":true,"entitlements":{"pro":{"active":true}},"contracts":[]}"#
        await app.server.answer("entitlements", 200, pro)
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await purchases.isActive("pro"))
    }

    @Test("A book that cannot be read is reported and not replaced, and comes before the new one once it can be")
    func unreadable() async throws {
        // Nobody reads a folder as a file, not even root.
        let file = app.folder.url.appendingPathComponent("book")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let purchases = app.launch()
        defer { purchases.stop() }
        #expect(try await purchases.buy("pro.annual", order: order) == .cancelled)
        var problems = purchases.problems.makeAsyncIterator()
        for _ in 0..<2 {
            guard case .disk? = await problems.next() else {
                Issue.record("not reported")
                return
            }
        }
        try FileManager.default.removeItem(at: file)
        var earlier = Book()
        earlier.place(Fixture.order(number: 7), product: "coins", at: Fixture.start)
        try app.disk.save(earlier)
        let next = Fixture.order(number: 2)
        #expect(try await purchases.buy("pro.annual", order: next) == .cancelled)
        #expect(try app.disk.book?.orders.map(\.order) == [Fixture.order(number: 7), order, next])
    }

    @Test("A file that was cut at any byte harms nothing: store and server tell what was in it")
    func cut() throws {
        var book = Book()
        book.place(order, product: "pro.annual", at: Fixture.start)
        try app.disk.save(book)
        let file = app.folder.url.appendingPathComponent("book")
        let whole = try Data(contentsOf: file)
        for count in whole.indices {
            try whole.prefix(count).write(to: file)
            #expect(try app.disk.book == nil)
        }
        try whole.write(to: file)
        #expect(try app.disk.book == book)
    }

    @Test("A wrong address is reported once, until the server has answered", arguments: [404, 301, 200])
    func wrongAddress(status: Int) async throws {
        let purchases = app.launch()
        defer { purchases.stop() }
        for path in ["transactions/apple", "entitlements"] { await app.server.answer(path, status, "<html>") }
        await app.store.answer(.bought(Fixture.transaction()))
        #expect(try await purchases.buy("pro.annual", order: order) == .kept(.busy))
        await app.server.answer("transactions/apple", 400, #"{"error":"bad_signature"}"#)
        #expect(
            await app.eventually {
                app.clock.advance(1)
                return await app.server.count("transactions/apple") > 1
            }
        )
        var problems = purchases.problems.makeAsyncIterator()
        #expect(await problems.next() == .unexpectedAnswer(status: status))
        #expect(await problems.next() == .refused(transaction: 1, code: "bad_signature"))
    }

    @Test("Success is said of no subscription that has ended, such as of one that the store hands over again")
    func lapsed() async throws {
        let cases: [(held: String, isGranted: Bool)] = [
            (#"{"product":"pro.annual","state":"expired","active":false}"#, false),
            (#"{"product":"pro.annual","state":"active","active":true}"#, true),
            (#"{"product":"pro.annual","state":"delivered","active":false,"quantity":1}"#, true),
            (#"{"product":"coins","state":"expired","active":false}"#, true),
        ]
        for (held, isGranted) in cases {
            let app = App()
            let purchases = app.launch()
            defer { purchases.stop() }
            await app.server.answer("entitlements", 200, #"{"active":false,"entitlements":{},"contracts":[\#(held)]}"#)
            await app.store.answer(.bought(Fixture.transaction()))
            let outcome = try await purchases.buy("pro.annual", order: order)
            #expect(outcome == (isGranted ? .granted(Fixture.grant) : .recorded(outcome: "applied")), "\(held)")
        }
    }
}
