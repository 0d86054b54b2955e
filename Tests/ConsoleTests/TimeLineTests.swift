import APIModel
import Domain
import Testing

@testable import API
@testable import Console

/// Where bands and marks lie.
@Suite struct TimeLineTests {
    private typealias Fixture = ConsoleFixture

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let contracts: [ContractDetail]
        var events: [FeedItem] = []
        /// The first lane's states, with the products unless all are pro.monthly, and a star for what lies ahead.
        let bands: [String]
        let marks: [ContractHistory.Moment.Kind]
        /// The day of the first band, if the case is about it.
        var begins: Double?
    }

    private static func bought(_ contract: ContractDetail, day: Double) -> ContractDetail {
        var contract = contract
        contract.details.purchasedAt = Fixture.date(day).iso8601
        return contract
    }

    /// User 42 gets it by a move.
    private static func event(_ kind: EventKind, of product: String, day: Double, position: Int64 = 7) -> FeedItem {
        var event = Fixture.event(kind, day: day, position: position)
        (event.product, event.user) = (product, "42")
        return event
    }

    private static func shared(_ contract: ContractDetail) -> ContractDetail {
        var contract = contract
        contract.details.sharedWith = ["43"]
        return contract
    }

    static let cases = [
        Case(
            testDescription: "a subscription that renews",
            contracts: [Fixture.contract()],
            events: [
                Fixture.event(.subscriptionRenewed, day: -1, position: 8),
                Fixture.event(.subscriptionStarted, day: -31),
            ],
            bands: ["active", "active*"],
            marks: [.charge, .charge, .end]
        ),
        Case(
            testDescription: "grace, then paid after all, in any order",
            contracts: [Fixture.contract()],
            events: [
                Fixture.event(.graceStarted, state: .inGracePeriod, day: -4, position: 8),
                Fixture.event(.subscriptionStarted, day: -35, position: 7),
                Fixture.event(.subscriptionRecovered, day: -2, position: 9),
            ],
            bands: ["active", "in_grace_period", "active", "active*"],
            marks: [.charge, .failure, .charge, .end]
        ),
        Case(
            testDescription: "in grace now, and active when it was bought",
            contracts: [bought(Fixture.contract(.inGracePeriod), day: -31)],
            events: [
                Fixture.event(.subscriptionStarted, day: -30),
                Fixture.event(.graceStarted, state: .inGracePeriod, day: -1, position: 8),
            ],
            bands: ["active", "in_grace_period", "in_grace_period*"],
            marks: [.charge, .failure, .end]
        ),
        Case(
            testDescription: "an end that nobody has told",
            contracts: [Fixture.contract(.expired, until: -3)],
            events: [Fixture.event(.subscriptionStarted, day: -33)],
            bands: ["active", "expired"],
            marks: [.charge, .end]
        ),
        Case(
            testDescription: "refunded",
            contracts: [Fixture.contract(.revoked, until: -3)],
            events: [
                Fixture.event(.refundCompleted, state: .revoked, day: -3, position: 8),
                Fixture.event(.subscriptionStarted, day: -5),
                Fixture.event(.subscriptionRenewed, outcome: .stale, day: -4, position: 9),
            ],
            bands: ["active", "revoked"],
            marks: [.charge, .refund, .end]
        ),
        Case(
            testDescription: "unclaimed at first",
            contracts: [bought(Fixture.contract(), day: -2)],
            events: [Fixture.event(.subscriptionStarted, outcome: .unclaimed, day: -2)],
            bands: ["active", "active*"],
            marks: [.charge, .end]
        ),
        Case(
            testDescription: "nothing told yet",
            contracts: [Fixture.contract()],
            bands: ["active*"],
            marks: [.end]
        ),
        Case(
            testDescription: "for ever",
            contracts: [Fixture.contract(.owned, until: nil)],
            events: [Fixture.event(.purchaseCompleted, state: .owned, day: -700)],
            bands: ["owned"],
            marks: [.charge]
        ),
        Case(
            testDescription: "a plan that was changed",
            contracts: [Fixture.contract(product: "pro.annual")],
            events: [
                event(.planChanged, of: "pro.annual", day: -6, position: 8),
                event(.subscriptionStarted, of: "pro.monthly", day: -23),
            ],
            bands: ["active pro.monthly", "active pro.annual", "active pro.annual*"],
            marks: [.charge, .charge, .end]
        ),
        Case(
            testDescription: "moved here, after a change of the plan",
            contracts: [bought(Fixture.contract(product: "pro.annual"), day: -20)],
            events: [
                event(.contractTransferred, of: "pro.annual", day: -6, position: 8),
                event(.subscriptionStarted, of: "pro.monthly", day: -23),
            ],
            bands: ["active pro.annual", "active pro.annual*"],
            marks: [.move, .end],
            begins: -6
        ),
        Case(
            testDescription: "moved here, and bought before",
            contracts: [bought(Fixture.contract(), day: -20)],
            events: [event(.contractTransferred, of: "pro.monthly", day: -6)],
            bands: ["active", "active*"],
            marks: [.move, .end],
            begins: -6
        ),
        Case(
            testDescription: "shared with others",
            contracts: [shared(bought(Fixture.contract(), day: -20))],
            events: [event(.contractTransferred, of: "pro.monthly", day: -6)],
            bands: ["active", "active*"],
            marks: [.charge, .end],
            begins: -20
        ),
    ]

    @Test(arguments: cases) func showsStatesInTime(_ given: Case) throws {
        let line = try #require(TimeLine(given.contracts, events: given.events, now: Fixture.now))
        let lane = try #require(line.lanes.first)
        let isPlain = lane.bands.allSatisfy { $0.span.product == "pro.monthly" }
        #expect(
            lane.bands.map { $0.span.state + (isPlain ? "" : " \($0.span.product)") + ($0.isAhead ? "*" : "") }
                == given.bands
        )
        if let day = given.begins { #expect(lane.bands.first?.span.start == Fixture.date(day)) }
        #expect(lane.marks.map(\.moment.kind) == given.marks)
        check(line)
    }

    /// Bands follow each other, everything is inside the picture, and x grows with time.
    private func check(_ line: TimeLine) {
        let inside = 0...TimeLine.width
        for lane in line.lanes {
            for (band, next) in zip(lane.bands, lane.bands.dropFirst()) {
                #expect(band.span.end == next.span.start)
                #expect(abs(band.x + band.width - next.x) < 2.1)
            }
            for band in lane.bands {
                #expect(band.span.start < band.span.end && band.width >= 2)
                #expect(inside.contains(band.x) && inside.contains(band.x + band.width))
            }
            #expect(lane.marks.allSatisfy { inside.contains($0.x) })
            #expect(lane.marks.map(\.x) == lane.marks.map(\.x).sorted())
            #expect(lane.y + TimeLine.laneHeight <= line.height)
        }
        #expect(inside.contains(line.nowX))
        #expect((1...9).contains(line.ticks.count), "\(line.ticks)")
        #expect(line.ticks.map(\.x) == line.ticks.map(\.x).sorted())
        // Half of a label such as "15 Jan" is as wide as that.
        #expect(line.ticks.allSatisfy { (20...TimeLine.width - 20).contains($0.x) }, "\(line.ticks)")
    }

    @Test(arguments: [0.001, 0.5, 1, 6, 40, 400, 5000]) func fitsAnyLength(_ days: Double) throws {
        let events = [Fixture.event(.subscriptionStarted, day: -days)]
        let line = try #require(TimeLine([Fixture.contract(until: days)], events: events, now: Fixture.now))
        check(line)
    }

    @Test func manyContractsStayReadable() throws {
        let contracts = (0..<20).map { Fixture.contract(lineage: String($0)) }
        let line = try #require(TimeLine(contracts, events: [], now: Fixture.now))
        #expect(line.lanes.count == TimeLine.laneLimit && line.hidden == 20 - TimeLine.laneLimit)
        check(line)
        #expect(TimeLine([], events: [], now: Fixture.now) == nil)
    }
}
