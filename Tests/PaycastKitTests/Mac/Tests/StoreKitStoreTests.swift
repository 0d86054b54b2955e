import Foundation
import StoreKit
import StoreKitTest
import XCTest

@testable import PaycastKit

/// PaycastKit against StoreKit itself, in Xcode's test environment. There is one environment for a whole Mac, so these tests
/// must not run beside others. No server answers, so every purchase is kept.
final class StoreKitStoreTests: XCTestCase {
    private let store = StoreKitStore()
    private let order = Order(token: UUID(), stream: "name--signature")

    private func session() throws -> SKTestSession {
        let bundle = Bundle(for: StoreKitStoreTests.self)
        let file = try XCTUnwrap(bundle.url(forResource: "Shop", withExtension: "storekit"))
        let session = try SKTestSession(contentsOf: file)
        session.resetToDefaultState()
        session.clearTransactions()
        session.disableDialogs = true
        return session
    }

    private func launch() throws -> Purchases {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        // Nothing listens there.
        let server = try XCTUnwrap(URL(string: "http://127.0.0.1:9"))
        let purchases = Purchases(server: server, store: store, folder: folder)
        purchases.start()
        return purchases
    }

    /// Waits as long as XCTest lets it.
    private func first(
        of updates: AsyncStream<StoreUpdate>,
        where isWanted: (SignedTransaction) -> Bool
    ) async -> SignedTransaction? {
        for await case .signed(let transaction) in updates where isWanted(transaction) { return transaction }
        return nil
    }

    func testWhatNoSecondTryCuresIsToldAsWhatItIs() {
        let cases: [(error: any Error, told: PurchaseError)] = [
            (StoreKitError.networkError(URLError(.notConnectedToInternet)), .offline),
            (StoreKitError.userCancelled, .cancelled), (StoreKitError.notAvailableInStorefront, .notAvailable),
            (Product.PurchaseError.productUnavailable, .notAvailable),
            (Product.PurchaseError.purchaseNotAllowed, .notAllowed),
            (Product.PurchaseError.ineligibleForOffer, .notEligible),
            (Product.PurchaseError.invalidOfferIdentifier, .unknownOffer),
            (Transaction.RefundRequestError.duplicateRequest, .alreadyRequested),
        ]
        for (error, told) in cases { XCTAssertEqual(PurchaseError(error), told) }
    }

    func testWhatTheStoreDoesNotKnowIsLeftOut() async throws {
        let session = try session()
        defer { session.clearTransactions() }
        let products = try await launch().products(["pro.annual", "gone"])
        XCTAssertEqual(products.map(\.id), ["pro.annual"])
        XCTAssertTrue(try XCTUnwrap(products.first).displayPrice.contains("79.99"))
    }

    func testAProductHasItsPeriodAndTheTrialThatANewUserMayHave() async throws {
        let session = try session()
        defer { session.clearTransactions() }
        let purchases = try launch()
        let products = await purchases.withEligibility(try await purchases.products(["pro.annual", "coins"]))
        let annual = try XCTUnwrap(products.first { $0.id == "pro.annual" })
        XCTAssertEqual(annual.price, Decimal(7_999) / 100)
        XCTAssertEqual(annual.currency, "USD")
        XCTAssertEqual(annual.period, StoreProduct.Period(1, .year))
        XCTAssertEqual(annual.kind, .autoRenewable)
        let trial = try XCTUnwrap(annual.introductoryOffer)
        XCTAssertEqual(trial.payment, .freeTrial)
        XCTAssertEqual(trial.price, 0)
        XCTAssertEqual(trial.isEligible, true)
        let coins = try XCTUnwrap(products.first { $0.id == "coins" })
        XCTAssertEqual(coins.price, Decimal(99) / 100)
        XCTAssertNil(coins.period)
        XCTAssertNil(coins.introductoryOffer)
    }

    func testAPurchaseCarriesTheTokenAndIsNotFinishedWithoutAServer() async throws {
        let session = try session()
        defer { session.clearTransactions() }
        let outcome = try await launch().buy("coins", order: order)
        XCTAssertEqual(outcome, .kept(.offline))
        let open = await store.unfinished()
        let transaction = try XCTUnwrap(open.first)
        XCTAssertEqual(open.map(\.product), ["coins"])
        XCTAssertEqual(transaction.token, order.token)
        XCTAssertEqual(transaction.jws.split(separator: ".").count, 3)
        await store.finish(transaction.id)
        let rest = await store.unfinished()
        XCTAssertTrue(rest.isEmpty)
    }

    func testAnApprovalArrivesAsAnUpdate() async throws {
        let session = try session()
        defer { session.clearTransactions() }
        session.askToBuyEnabled = true
        let updates = store.updates()
        let outcome = try await launch().buy("pro.annual", order: order)
        XCTAssertEqual(outcome, .pending)
        let asked = try XCTUnwrap(session.allTransactions().first)
        try session.approveAskToBuyTransaction(identifier: asked.identifier)
        let transaction = await first(of: updates) { $0.product == "pro.annual" }
        XCTAssertEqual(transaction?.token, order.token)
    }

    func testARefundArrivesAsARevokedUpdate() async throws {
        let session = try session()
        defer { session.clearTransactions() }
        let updates = store.updates()
        _ = try await launch().buy("lifetime", order: order)
        let bought = await store.unfinished()
        let id = try XCTUnwrap(bought.first).id
        try session.refundTransaction(identifier: UInt(id))
        let revoked = await first(of: updates) { $0.id == id && $0.isRevoked }
        XCTAssertNotNil(revoked)
    }
}
