import Domain
import Pages
import TestSupport
import Testing

/// Every page sees exactly what is newer than its cursor, once and in order, whatever happens between; only what a
/// newer fragment of the same target made superfluous may be missing.
@Suite struct HubInterleavingTests {
    struct Case: CustomTestStringConvertible {
        let isKeyed: Bool
        let hub: Hub
        var testDescription: String { "\(isKeyed ? "keyed" : "unkeyed"), \(hub.queuedBytes) bytes" }
    }

    static let cases = [
        Case(isKeyed: false, hub: Hub()),
        Case(isKeyed: false, hub: Hub(queuedBytes: 150, frameBytes: 8)),
        Case(isKeyed: true, hub: Hub(queuedBytes: 1000, frameBytes: 8)),
    ]

    /// Each step more is six times as many sequences.
    private static let length = GeneratedCases.areWhole ? 6 : 5

    @Test(arguments: cases) func holdsForAllShortSequences(_ test: Case) throws {
        let stream = try #require(StreamName("user:1:paywall"))
        var count = 0
        func explore(_ model: HubModel, after steps: [HubModel.Step]) -> String? {
            var end = model
            end.finish()
            count += 1
            if let flaw = flaw(in: end) { return "\(steps): \(flaw)" }
            guard steps.count < Self.length else { return nil }
            for step in HubModel.Step.direct where model.allows(step) {
                var next = model
                next.take(step)
                if let flaw = explore(next, after: steps + [step]) { return flaw }
            }
            return nil
        }
        #expect(explore(HubModel(isKeyed: test.isKeyed, stream: stream, hub: test.hub), after: []) == nil)
        #expect(count > (GeneratedCases.areWhole ? 50_000 : 5_000))
    }

    /// The page resumed from before `2/a`, which `4/a` had taken away, and got it after `t1/b`.
    @Test func aTransientMessageRemembersTheEntriesBeforeIt() throws {
        let stream = try #require(StreamName("user:1:paywall"))
        var model = HubModel(isKeyed: true, stream: stream, hub: Hub(queuedBytes: 1000, frameBytes: 8))
        let steps: [HubModel.Step] = [
            .read, .arrive, .block, .commitElsewhere, .commit, .feed, .feed, .transient, .transient,
            .commitElsewhere, .commit, .feed, .feed, .unblock, .reconnect,
        ]
        for step in steps { model.take(step) }
        model.finish()
        #expect(flaw(in: model) == nil)
    }

    @Test(arguments: cases) func holdsForRandomSequences(_ test: Case) throws {
        let stream = try #require(StreamName("user:1:paywall"))
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            var model = HubModel(isKeyed: test.isKeyed, stream: stream, hub: test.hub)
            for _ in 0..<100 {
                let step = HubModel.Step.allCases.filter(model.allows).randomElement(using: &generator)
                model.take(try #require(step))
            }
            model.finish()
            try #require(flaw(in: model) == nil, "seed \(seed), round \(round)")
        }
    }
}

/// What is wrong with what the page received; nil when nothing is.
private func flaw(in model: HubModel) -> String? {
    let received = model.received
    guard Set(received).count == received.count else { return "repeated: \(received)" }
    let positions = received.filter { $0.transient == nil }.map(\.position)
    guard positions == positions.sorted() else { return "out of order: \(received)" }
    let numbers = received.compactMap(\.transient)
    guard numbers == numbers.sorted() else { return "transient messages out of order: \(received)" }
    if let label = missing(in: model) { return "missing \(label): \(received)" }
    return misplaced(in: model).map { "misplaced \($0): \(received)" }
}

private func missing(in model: HubModel) -> Label? {
    let entries = model.ledger.compactMap { $0 }.flatMap { Label.read($0.html) }
    let sent = model.transients.indices.filter { !model.lost.contains($0) }.map { Label(transient: $0, key: "a") }
    return (entries + sent).first { label in
        guard !model.received.contains(label) else { return false }
        guard model.isKeyed else { return true }
        let lost = model.lost.map { Label(transient: $0, key: label.key) }
        return !(model.received + lost).contains { $0.key == label.key && isNewer($0, than: label, in: model) }
    }
}

private func isNewer(_ left: Label, than right: Label, in model: HubModel) -> Bool {
    switch (left.transient, right.transient) {
    case (nil, nil): left.position > right.position
    case (let left?, let right?): left > right
    // It may get lost with the connection, so it makes no entry superfluous.
    case (_?, nil): false
    case (nil, let transient?): left.position > model.transients[transient].order
    }
}

/// A transient message comes after the entries that the hub had published before it and before those it had not,
/// unless the page had those already.
private func misplaced(in model: HubModel) -> Label? {
    for (index, label) in model.received.enumerated() {
        guard let transient = label.transient else { continue }
        let sent = model.transients[transient]
        let tooLate = model.received[index...].contains { $0.transient == nil && $0.position <= sent.order }
        let tooEarly = model.received[..<index].contains {
            $0.transient == nil && $0.position > sent.after
        }
        if tooLate || tooEarly { return label }
    }
    return nil
}
