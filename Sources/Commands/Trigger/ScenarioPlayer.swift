import Domain
import Simulator

/// Performs a scenario: moves the server's clock, signs, posts, and checks the page.
struct ScenarioPlayer {
    private struct Signed {
        var step: Scenario.Step
        var delivery: SimulatedDelivery
        /// An older statement of the store.
        var stale: SimulatedDelivery?
        var signedAt: Instant
    }

    let driver: StoreDriver
    let words: StoreEventParser
    /// The parts of the request that all steps share: for whom, and where.
    let template: StoreDriver.Request
    /// Nil if nothing is expected and the server's answers say enough.
    let watch: PageWatch?
    let timeout: Duration
    /// The server's time; if nil, each step moves the server's clock.
    let now: Instant?
    let report: PlayReport
    var purchase: StoreDriver.Purchase?
    /// The newest position at which a delivery was committed.
    var newest: Cursor?

    /// Plays one step in order; the page is checked before the next step.
    mutating func play(_ step: Scenario.Step) throws {
        if !step.expected.isEmpty { try waitForPages() }
        let start = watch?.count ?? 0
        let signed = try sign(step)
        try driver.publish(signed.delivery)
        try post(signed)
        for expectation in step.expected { try check(expectation, from: start) }
    }

    /// Signs all steps in order, but delivers them in another order, to a server that sees the store in its final
    /// state. What earlier steps expect holds only in order. What the last step expects must be on the page in the end,
    /// and no late event may take a page back.
    mutating func shuffle(_ steps: [Scenario.Step], seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let start = watch?.count ?? 0
        var signed: [Signed] = []
        for step in steps {
            let one = try sign(step)
            try driver.publish(one.delivery)
            signed.append(one)
        }
        let history = signed.map { (event: $0.delivery.event, label: $0.step.event.label) }
        for var one in signed.shuffled(using: &generator) {
            one.delivery = try driver.attempt(one.delivery, at: driver.advanceClock(by: .zero))
            try post(one)
        }
        guard let watch else { return }
        try waitForPages()
        // Time alone changes states, too.
        if !steps.contains(where: { $0.faults.delay > .zero }) {
            if let regression = StateRegression(in: watch.entries, history: history) {
                throw PlayError.regression(regression)
            }
        }
        for expectation in steps.last?.expected ?? [] {
            let messages = watch.messages(from: start)
            guard let found = expectation.isMet(inTheEndOf: messages) else {
                throw PlayError.page(expectation, received: messages)
            }
            report.show(expectation, in: found)
        }
    }

    /// Keeps late messages of one step from being taken for those of the next. Waits only briefly: the feed may have
    /// nothing.
    private func waitForPages() throws {
        guard let watch, let newest else { return }
        try watch.waitUntilShown(upTo: newest, timeout: min(timeout, .seconds(1)))
    }

    private mutating func sign(_ step: Scenario.Step) throws(StoreDriverError) -> Signed {
        var request = template
        (request.type, request.subtype, request.meaning) = (step.event.type, step.event.subtype, step.event.meaning)
        request.product = step.product ?? template.product
        let instant = if let now { now } else { try driver.advanceClock(by: step.after) }
        var purchase = try purchase(for: request, step: step)
        let delivery = try driver.sign(request, of: purchase, now: instant, isLost: step.faults.isLost)
        let stale = step.faults.isStale ? try statement(of: purchase, before: instant, for: request) : nil
        if let meaning = step.event.meaning { purchase.facts = purchase.facts.after(meaning, at: instant) }
        self.purchase = purchase
        return Signed(step: step, delivery: delivery, stale: stale, signedAt: instant)
    }

    /// Where the step continues: the first one from what the server knows, each later one from the step before.
    private func purchase(
        for request: StoreDriver.Request,
        step: Scenario.Step
    ) throws(StoreDriverError) -> StoreDriver.Purchase {
        guard var purchase else { return try driver.purchase(for: request) }
        guard let product = step.product, product != purchase.facts.product else { return purchase }
        guard [.upgrade, .downgrade].contains(step.event.meaning) else { return try driver.purchase(for: request) }
        purchase.facts.pendingProduct = product
        return purchase
    }

    /// A statement one minute older than the step, without the step's change.
    private func statement(
        of purchase: StoreDriver.Purchase,
        before instant: Instant,
        for request: StoreDriver.Request
    ) throws(StoreDriverError) -> SimulatedDelivery {
        var request = request
        if let event = words.vocabulary.event(for: .resume) { (request.type, request.subtype) = event }
        return try driver.sign(request, of: purchase, now: instant - .seconds(60))
    }

    private mutating func post(_ signed: Signed) throws {
        let faults = signed.step.faults
        if faults.delay > .zero { _ = try driver.advanceClock(by: faults.delay) }
        if faults.isLost {
            try driver.enter(signed.delivery)
            return report.show(TriggeredDelivery(step: signed.step, deed: .lost, signedAt: signed.signedAt))
        }
        if faults.isTampered { return try post(signed.delivery.tampered, as: .tampered, of: signed) }
        for number in 1...faults.copies {
            try post(signed.delivery, as: number == 1 ? .delivered : .repeated(number), of: signed)
        }
        try driver.enter(signed.delivery)
        if let stale = signed.stale { try post(stale, as: .stale, of: signed) }
    }

    private mutating func post(
        _ delivery: SimulatedDelivery,
        as deed: TriggeredDelivery.Deed,
        of signed: Signed
    ) throws {
        var act = TriggeredDelivery(step: signed.step, deed: deed, signedAt: signed.signedAt)
        let isKnown = watch?.entries.contains { $0["event"] == delivery.event } ?? false
        act.delivery = try driver.post(delivery)
        if let answer = act.delivery, answer.isTaken, answer.outcome == nil {
            act.delivery = try completed(answer, isKnown: isKnown)
        }
        report.show(act)
        if let cursor = act.delivery?.cursor.flatMap({ Cursor($0) }) {
            newest = newest.map { $0.position < cursor.position ? cursor : $0 } ?? cursor
        }
        if let complaint = act.complaint { throw complaint }
    }

    /// Google gets only a status, so the outcome comes from the feed. The feed does not report an event twice.
    private func completed(_ answer: StoreDriver.Delivery, isKnown: Bool) throws -> StoreDriver.Delivery {
        guard let watch else { return answer }
        var answer = answer
        let entry = try watch.entry(of: answer.event, timeout: min(timeout, .seconds(5)))
        answer.outcome = isKnown ? Outcome.duplicate.rawValue : entry?["outcome"]
        answer.cursor = entry?.cursor?.description
        return answer
    }

    private func check(_ expected: Expectation, from start: Int) throws {
        guard let watch else { return }
        let found = try watch.wait(from: start, timeout: timeout) { messages in
            messages.last { expected.isMet(by: $0.html, fragments: $0.fragments) }
        }
        guard let found else { throw PlayError.page(expected, received: watch.messages(from: start)) }
        report.show(expected, in: found)
    }
}

/// Gives the same order for the same seed on every machine (https://prng.di.unimi.it/splitmix64.c).
private struct SplitMix: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var z = seed
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// What a scenario found out.
enum PlayError: Error {
    /// The server refused a genuine delivery.
    case refused(StoreDriver.Delivery)
    /// The server accepted a delivery that was changed after signing.
    case tamperingAccepted(status: Int)
    case outcome(String?, expected: String)
    /// The page did not receive what was expected; `received` is what it got instead.
    case page(Expectation, received: [PageWatch.Message])
    /// A page went back to an older state.
    case regression(StateRegression)

    /// `refusal` explains a delivery that the server refused.
    func message(_ refusal: (StoreDriver.Delivery) -> CommandFailure) -> String {
        switch self {
        case .refused(let delivery): refusal(delivery).message
        case .tamperingAccepted(let status): "the server answers \(status) to a delivery that was changed after signing"
        case .outcome(let outcome, let expected): "the outcome is \(outcome ?? "unknown"), not \(expected)"
        case .regression(let regression):
            "a page moved back: \(regression.label), delivered late, turned \(regression.before) into \(regression.after)"
        case .page(let expected, let received) where received.contains(where: expected.isNamed):
            "the page was only told to reload, not \(expected): the server has no template for it; start it with --public"
        case .page(let expected, let received):
            "the page did not receive \(expected) in time"
                + (received.isEmpty
                    ? "; nothing arrived" : "; it received \(received.map(\.description).joined(separator: ", "))")
        }
    }
}

/// An event that arrived after a newer one but still changed the state, so pages went back to an older state. Pure.
struct StateRegression: Equatable {
    /// The late event's type.
    var label: String
    var before: String
    var after: String

    /// Finds the first regression among the committed entries, or returns nil. `history` lists the signed events, oldest
    /// first.
    init?(in entries: [FeedEntry], history: [(event: String, label: String)]) {
        var newest = -1
        for entry in entries {
            guard let age = history.firstIndex(where: { $0.event == entry["event"] }) else { continue }
            defer { newest = max(newest, age) }
            guard age < newest, let before = entry["previous_state"], let after = entry["state"], before != after else {
                continue
            }
            label = history[age].label
            self.before = before
            self.after = after
            return
        }
        return nil
    }
}
