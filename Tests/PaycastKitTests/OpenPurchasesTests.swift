import Foundation
import Testing

@testable import PaycastKit

@Suite("What a page learns that appears in the middle of a purchase")
struct OpenPurchasesTests {
    private let product = "pro.annual"
    private let ann = Fixture.stream(of: "ann")
    private let bob = Fixture.stream(of: "bob")

    private func only(_ status: OpenPurchase.Status) -> [OpenPurchase] {
        [OpenPurchase(product: product, status: status)]
    }

    @Test("buying, then pending or kept, then nothing")
    func stages() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: 1)))
        #expect(driver.open(of: "ann") == only(.buying))
        _ = driver.send(.storeAnswered(product: product, .pending))
        #expect(driver.open(of: "ann") == only(.pending))
        _ = driver.send(.arrived(Fixture.transaction()))
        #expect(driver.open(of: "ann") == only(.kept))
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(driver.open(of: "ann").isEmpty)
    }

    @Test("After a restart it is told to its user, before the log-in has had its turn, and never to a page of nobody")
    func restart() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: 1)))
        _ = driver.send(.storeAnswered(product: product, .pending))
        #expect(driver.machine.session == ann && driver.machine.appSession == nil, "a page has said who it is")
        _ = driver.restart()
        #expect(driver.open(of: "ann") == only(.pending))
        #expect(driver.open(of: "bob").isEmpty && driver.open(of: nil).isEmpty)
        _ = driver.send(.loggedIn(bob))
        #expect(driver.machine.appSession == bob)
        #expect(driver.open(of: "ann") == only(.pending) && driver.open(of: "bob").isEmpty)
    }

    @Test("Only what a connection cures is `kept`")
    func words() {
        let cases: [(answer: PostAnswer, status: OpenPurchase.Status)] = [
            (.unreachable, .kept), (.later(.init(seconds: 30, isWholeServer: true)), .kept),
            (.refused(code: "bad_signature"), .refused), (.unauthorized(code: "expired_stream_name"), .loggedOut),
        ]
        for (answer, status) in cases {
            var driver = Driver()
            driver.buy()
            _ = driver.send(.answered(Fixture.transaction().version, answer))
            #expect(driver.open(of: "ann") == only(status), "\(answer)")
            #expect(driver.open(of: "bob").isEmpty && driver.open(of: nil).isEmpty)
        }
    }

    @Test("What the store took back, or replaced, is no purchase any more")
    func over() {
        var driver = Driver()
        _ = driver.send(.loggedIn(ann))
        var revoked = Fixture.transaction(1, token: nil)
        revoked.isRevoked = true
        var upgraded = Fixture.transaction(2, product: "pro.monthly", token: nil)
        upgraded.isUpgraded = true
        for transaction in [revoked, upgraded] { _ = driver.send(.arrived(transaction)) }
        #expect(driver.open(of: "ann").isEmpty && driver.machine.deliveries.count == 2)
    }
}
