import Foundation
import Testing

@testable import PaycastKit

@Suite("Streams that expire, and streams that follow them")
struct PurchaseStreamTests {
    private let ann = Fixture.stream(of: "ann")
    private let bob = Fixture.stream(of: "bob")

    @Test("401 and 403: held until there is a new stream of the owner, then posted after the back-off")
    func expired() {
        var driver = Driver()
        driver.buy()
        let version = Fixture.transaction().version
        let actions = driver.send(.answered(version, .unauthorized(code: "expired_stream_name")))
        #expect(actions.finishes.isEmpty && actions.replies == [.success(.loggedOut)])
        #expect(driver.send(.resumed, after: 600).posts.isEmpty)
        #expect(driver.send(.loggedIn(ann), after: 600).posts.isEmpty, "the same stream again is no news")
        #expect(driver.send(.loggedIn(Fixture.stream(of: "ann", signing: 2)), after: 600).posts == [version])
    }

    @Test("A page of yesterday replaces no fresher stream of its user, whatever the device's clock says")
    func staleStream() {
        func stream(_ day: String?) -> SignedStream {
            guard let day else { return ann }
            let text = #"{"_rails":{"data":"user:ann:paywall","exp":"\#(day)T00:00:00.000Z"}}"#
            return SignedStream(rawValue: Data(text.utf8).base64EncodedString() + "--00")
        }
        let cases: [(known: String?, brought: String?, isTaken: Bool)] = [
            ("2026-01-02", "2026-01-03", true), ("2026-01-03", "2026-01-02", false), (nil, "2026-01-02", false),
            ("2026-01-02", nil, true), ("2099-01-02", "2099-01-01", false),
        ]
        for (known, brought, isTaken) in cases {
            for isRefused in [false, true] {
                var driver = Driver()
                _ = driver.send(.loggedIn(stream(known)))
                if isRefused { _ = driver.send(.streamRefused(stream(known), code: "bad", product: nil)) }
                _ = driver.send(.loggedIn(stream(brought)))
                #expect(driver.machine.session == stream(isTaken || isRefused ? brought : known))
            }
        }
    }

    @Test("A stream that the server has refused is not taken again in place of a newer one")
    func refusedBefore() {
        let fresh = Fixture.stream(of: "ann", signing: 2)
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .unauthorized(code: "bad")))
        for stream in [fresh, ann] { _ = driver.send(.loggedIn(stream)) }
        #expect(driver.machine.session == fresh && driver.stream() == fresh)
    }

    @Test("A stream that comes while the old one is being refused is tried at once after the back-off")
    func renewedWhilePosting() {
        var driver = Driver()
        driver.buy()
        let version = Fixture.transaction().version
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann", signing: 2)))
        _ = driver.send(.answered(version, .unauthorized(code: "expired_stream_name")))
        #expect(driver.send(.woke, after: 1).posts == [version])
    }

    @Test("An expired stream is renewed by a new order, one request at a time and with back-off")
    func renewal() {
        var driver = Driver(machine: PurchaseMachine(canRenew: true))
        driver.buy()
        let version = Fixture.transaction().version
        let actions = driver.send(.answered(version, .unauthorized(code: "expired_stream_name")))
        #expect(actions.contains(.renewStream(product: "pro.annual")) && actions.replies.isEmpty)
        #expect(driver.send(.renewed(nil, isUnreached: true)).replies == [.success(.kept(.offline))])
        #expect(driver.send(.woke, after: 1) == [.renewStream(product: "pro.annual")])
        #expect(driver.send(.renewed(Fixture.stream(of: "ann", signing: 2)), after: 1).posts == [version])
    }

    @Test("A backend whose streams the server refuses is asked less and less")
    func uselessRenewal() {
        var driver = Driver(machine: PurchaseMachine(canRenew: true))
        driver.buy()
        let refused = (0..<4).map { signing in
            let stream = Fixture.stream(of: "ann", signing: 1 + signing)
            _ = driver.send(.streamRefused(stream, code: "bad_signature", product: nil))
            _ = driver.send(.renewed(Fixture.stream(of: "ann", signing: 2 + signing)))
            let due = driver.machine.renewal.backoff.due ?? driver.now
            defer { driver.now = due }
            return due.timeIntervalSince(driver.now)
        }
        #expect(refused == [1, 2, 4, 8])
    }

    @Test("A renewed stream logs its user in, unless another user is, or nobody wants to be")
    func renewalLogsIn() {
        let cases: [(before: [PurchaseEvent], session: SignedStream?)] = [
            ([], ann), ([.loggedIn(Fixture.stream(of: "ann", signing: 0))], ann), ([.loggedIn(bob)], bob),
            ([.loggedOut], nil),
        ]
        for (before, session) in cases {
            var driver = Driver(machine: PurchaseMachine(canRenew: true))
            for event in before { _ = driver.send(event) }
            let actions = driver.send(.renewed(ann))
            #expect(driver.machine.session == session, "\(before)")
            #expect(actions.contains(.switchUser(ann)) == (session == ann))
        }
    }

    @Test("A renewed stream of another user is not taken for the owner's")
    func renewalOfAnother() {
        var driver = Driver(machine: PurchaseMachine(canRenew: true))
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .unauthorized(code: "expired_stream_name")))
        #expect(driver.send(.renewed(bob), after: 60).posts.isEmpty)
    }
}
