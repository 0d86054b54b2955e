import Testing

@testable import Domain
@testable import Ledger

/// What an app gives an order to get it back, in both engines.
@Suite struct OrderContextTests {
    private func request(_ address: String?, _ metadata: [String: String] = [:]) -> OrderRequest {
        var request = OrderRequest(user: "42", product: "pro")
        request.context.successURL = address
        request.context.metadata = metadata
        return request
    }

    @Test func isKeptAsItWasGiven() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let words = ["a": "\"\\ é", "B_2": "", "long": String(repeating: "x", count: 500)]
        for request in [request("/thanks?a=1&b=2", words), request(nil, words), request("/"), request(nil)] {
            let order = try ledger.order(request).order
            let found = try ledger.reader.answer { try $0.order(order.token) }.order
            #expect(found?.order.context == request.context)
            #expect(try ledger.order(request).order.token == order.token)
        }
    }

    /// However many orders with another one were made since.
    @Test func othersInBetweenMakeNoSecondOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let carts = [request(nil)] + (0...2 * Order.likeLimit).map { request("/thanks", ["cart": "\($0)"]) }
        let orders = try carts.map { try ledger.order($0) }
        #expect(orders.allSatisfy(\.isNew) && Set(orders.map(\.order.token)).count == carts.count)
        for (cart, order) in zip(carts, orders) {
            let again = try ledger.order(cart)
            #expect(!again.isNew && again.order == order.order)
        }
        // One that was used is never handed out again.
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: orders[1].order.token))
        #expect(try ledger.order(carts[1]).order.token != orders[1].order.token)
    }

    @Test func comesWithTheEntriesOfItsPurchaseUntilAnErasure() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let given = request("/thanks", ["cart": "7"])
        let order = try ledger.order(given).order
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: order.token))
        #expect(ledger.committed.all.last?.notice.context == given.context)
        func contexts() throws -> [OrderContext] {
            try ledger.reader.answer { try $0.entries(after: 0, limit: 10) }.entries.map(\.notice.context)
        }
        #expect(try contexts().last == given.context)
        let values = try ledger.committed.all.last?.fragments.map { fragment in
            guard case .template(let name, let values) = fragment.content else { throw OrderError.tokenTaken }
            return [name, values["success_url"] ?? "-", values["metadata_cart"] ?? "-"]
        }
        #expect(values == [["success", "/thanks", "7"], ["manage", "-", "7"]])
        try ledger.erase("42")
        #expect(try contexts().allSatisfy(\.isEmpty))
    }
}
