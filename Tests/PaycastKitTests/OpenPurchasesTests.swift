import Foundation
import Testing

@testable import PaycastKit

@Suite("What a page learns that appears in the middle of a purchase")
struct OpenPurchasesTests {
    private var driver = Driver()
    private let product = "pro.annual"
    private let ann = Fixture.stream(of: "ann")
    private let bob = Fixture.stream(of: "bob")

    private func open(_ driver: Driver, for viewer: SignedStream? = nil) -> [OpenPurchase] {
        driver.machine.openPurchases(for: viewer, at: driver.now)
    }

    private func only(_ status: OpenPurchase.Status) -> [OpenPurchase] {
        [OpenPurchase(product: product, status: status)]
    }

    @Test("buying, then pending or kept, then nothing")
    func stages() {
        var driver = driver
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: 1)))
        #expect(open(driver) == only(.buying))
        _ = driver.send(.storeAnswered(product: product, .pending))
        #expect(open(driver) == only(.pending))
        _ = driver.send(.arrived(Fixture.transaction()))
        #expect(open(driver) == only(.kept))
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(open(driver).isEmpty)
    }

    @Test("After a restart it is told to the page of its user, before the log-in has had its turn")
    func restart() {
        var driver = driver
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: 1)))
        _ = driver.send(.storeAnswered(product: product, .pending))
        _ = driver.restart()
        #expect(open(driver, for: ann) == only(.pending))
        #expect(open(driver) == only(.pending))
        #expect(open(driver, for: bob).isEmpty)
        _ = driver.send(.loggedIn(bob))
        #expect(open(driver).isEmpty)
        #expect(open(driver, for: ann) == only(.pending))
    }

    @Test("What waits for its owner is told to nobody else")
    func owner() {
        var driver = driver
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .unreachable))
        #expect(open(driver) == only(.kept))
        _ = driver.send(.loggedOut)
        #expect(open(driver).isEmpty && open(driver, for: bob).isEmpty)
        #expect(open(driver, for: ann) == only(.kept))
        #expect(driver.machine.deliveries.count == 1)
    }

    @Test("What the store took back, or replaced, is no purchase any more")
    func over() {
        var driver = driver
        _ = driver.send(.loggedIn(ann))
        var revoked = Fixture.transaction(1, token: nil)
        revoked.isRevoked = true
        var upgraded = Fixture.transaction(2, product: "pro.monthly", token: nil)
        upgraded.isUpgraded = true
        for transaction in [revoked, upgraded] { _ = driver.send(.arrived(transaction)) }
        #expect(open(driver).isEmpty && driver.machine.deliveries.count == 2)
    }
}
