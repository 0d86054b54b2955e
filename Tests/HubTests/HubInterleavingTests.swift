import Domain
import Hub
import Testing

/// Every page sees exactly what is newer than its cursor, once and in order, whatever happens between; only what a
/// newer fragment of the same target made superfluous may be missing.
@Suite(.timeLimit(.minutes(10))) struct HubInterleavingTests {
    struct Case: CustomTestStringConvertible {
        let isKeyed: Bool
        let limits: Hub.Limits
        var testDescription: String { "\(isKeyed ? "keyed" : "unkeyed"), \(limits.queuedBytes) bytes" }
    }

    static let cases = [
        Case(isKeyed: false, limits: Hub.Limits()),
        Case(isKeyed: false, limits: Hub.Limits(queuedBytes: 150, frameBytes: 8)),
        Case(isKeyed: true, limits: Hub.Limits(queuedBytes: 1000, frameBytes: 8)),
    ]

    @Test(arguments: cases) func holdsForAllShortSequences(_ test: Case) throws {
        let stream = try #require(StreamName("user:1:paywall"))
        var count = 0
        func explore(_ world: World, _ steps: [World.Step]) -> String? {
            var end = world
            end.finish()
            count += 1
            if let flaw = flaw(in: end) { return "\(steps): \(flaw)" }
            guard steps.count < 6 else { return nil }
            for step in World.Step.allCases where world.allows(step) {
                var next = world
                next.take(step)
                if let flaw = explore(next, steps + [step]) { return flaw }
            }
            return nil
        }
        #expect(explore(World(isKeyed: test.isKeyed, stream: stream, limits: test.limits), []) == nil)
        #expect(count > 50_000)
    }

    /// The page resumed from before `2/a`, which `4/a` had taken away, and got it after `t1/b`.
    @Test func aTransientMessageRemembersTheEntriesBeforeIt() throws {
        let stream = try #require(StreamName("user:1:paywall"))
        var world = World(isKeyed: true, stream: stream, limits: Hub.Limits(queuedBytes: 1000, frameBytes: 8))
        let steps: [World.Step] = [
            .read, .arrive, .block, .commitElsewhere, .commit, .feed, .feed, .transient, .transient,
            .commitElsewhere, .commit, .feed, .feed, .unblock, .reconnect,
        ]
        for step in steps { world.take(step) }
        world.finish()
        #expect(flaw(in: world) == nil)
    }

    @Test(arguments: cases) func holdsForRandomSequences(_ test: Case) throws {
        let stream = try #require(StreamName("user:1:paywall"))
        let seed = UInt64.random(in: .min ... .max)
        var generator = SplitMix(state: seed)
        for round in 0..<300 {
            var world = World(isKeyed: test.isKeyed, stream: stream, limits: test.limits)
            for _ in 0..<100 {
                let step = World.Step.allCases.filter(world.allows).randomElement(using: &generator)
                world.take(try #require(step))
            }
            world.finish()
            try #require(flaw(in: world) == nil, "seed \(seed), round \(round)")
        }
    }
}

/// What is wrong with what the page received; nil when nothing is.
private func flaw(in world: World) -> String? {
    let received = world.received
    guard Set(received).count == received.count else { return "repeated: \(received)" }
    let positions = received.filter { $0.transient == nil }.map(\.position)
    guard positions == positions.sorted() else { return "out of order: \(received)" }
    let numbers = received.compactMap(\.transient)
    guard numbers == numbers.sorted() else { return "transient messages out of order: \(received)" }
    if let label = missing(in: world) { return "missing \(label): \(received)" }
    return misplaced(in: world).map { "misplaced \($0): \(received)" }
}

private func missing(in world: World) -> Label? {
    let entries = world.ledger.compactMap { $0 }.flatMap { Label.read($0.html) }
    let sent = world.transients.indices.filter { !world.lost.contains($0) }.map { Label(transient: $0, key: "a") }
    return (entries + sent).first { label in
        guard !world.received.contains(label) else { return false }
        guard world.isKeyed else { return true }
        let lost = world.lost.map { Label(transient: $0, key: label.key) }
        return !(world.received + lost).contains { $0.key == label.key && isNewer($0, than: label, in: world) }
    }
}

private func isNewer(_ left: Label, than right: Label, in world: World) -> Bool {
    switch (left.transient, right.transient) {
    case (nil, nil): left.position > right.position
    case (let left?, let right?): left > right
    // It may get lost with the connection, so it makes no entry superfluous.
    case (_?, nil): false
    case (nil, let transient?): left.position > world.transients[transient].order
    }
}

/// A transient message comes after the entries that the hub had published before it and before those it had not,
/// unless the page had those already.
private func misplaced(in world: World) -> Label? {
    for (index, label) in world.received.enumerated() {
        guard let transient = label.transient else { continue }
        let sent = world.transients[transient]
        let tooLate = world.received[index...].contains { $0.transient == nil && $0.position <= sent.order }
        let tooEarly = world.received[..<index].contains {
            $0.transient == nil && $0.position > sent.after
        }
        if tooLate || tooEarly { return label }
    }
    return nil
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    /// https://prng.di.unimi.it/splitmix64.c
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
