import Foundation
import PaycastKit

// An app without a face, driven by a file: it takes its steps, waits until nothing is left to do or its time is up, and
// prints what came of it. With `killBefore` it dies before that action, as an app does whose process is killed.

struct Plan: Decodable {
    struct Step: Decodable {
        var logIn: SignedStream?
        var logOut: Bool?
        var restore: Bool?
        /// Several at once are as many taps.
        var buy: [Purchase]?
    }
    struct Purchase: Decodable {
        var product: String
        var order: UUID?
        var stream: SignedStream?
    }
    var server: URL
    /// Whom the app asks for orders, if anybody.
    var backend: Backend?
    var folder: String
    var steps: [Step]
    var killBefore: Int?
    /// In seconds.
    var clockError: Double
    /// How many seconds of the app's clock go by in one.
    var pace: Double
    /// How long it waits, in seconds.
    var patience: Double
    /// The state of the entitlements that it waits for.
    var state: String?
    /// Reads the entitlements, and writes to a log what opens access with each change.
    var follows: Bool?
}

struct Report: Encodable {
    var outcomes: [String] = []
    /// How many it has performed: each is a step to be killed at.
    var actions = 0
    var kept = 0
    var unfinished = 0
    var state = ""
    /// What opens access, by product.
    var active: [String] = []
}

let plan = try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
let folder = URL(fileURLWithPath: plan.folder, isDirectory: true)
let isTappedTwice = plan.steps.contains { $0.buy?.count ?? 0 > 1 }
let store = FolderStore(folder: folder, sheetTime: isTappedTwice ? .milliseconds(200) : .zero)
let countdown = Countdown(plan.killBefore)
let purchases = Purchases(
    server: plan.server,
    store: store,
    orders: plan.backend,
    folder: folder.appendingPathComponent("kit", isDirectory: true),
    time: PlannedTime(error: plan.clockError, pace: plan.pace),
    timeout: 5,
    willPerform: { _ in countdown.tick() }
)
purchases.start()

func outcome(_ purchase: Plan.Purchase) async -> String {
    let order = purchase.order.map { Order(token: $0, stream: purchase.stream) }
    do {
        return String(describing: try await purchases.buy(purchase.product, order: order))
    } catch {
        return "error \(error.code)"
    }
}

/// What opens access, by product.
func active(_ state: EntitlementState) -> [String] {
    (state.entitlements?.contracts ?? []).filter(\.active).map(\.product)
}

func word(_ state: EntitlementState) -> String {
    switch state {
    case .unknown: "unknown"
    case .current: "current"
    case .lastKnown: "last_known"
    case .onDevice: "on_device"
    }
}

func isDone(_ report: Report) -> Bool {
    report.kept == 0 && report.unfinished == 0 && plan.state ?? report.state == report.state
}

if plan.follows == true {
    Task {
        for await state in purchases.entitlements {
            store.note("\(active(state))", in: "access.log")
        }
    }
}

var report = Report()
for step in plan.steps {
    if let stream = step.logIn { purchases.logIn(stream) }
    if step.logOut == true { purchases.logOut() }
    if step.restore == true {
        let restoration = try? await purchases.restore()
        report.outcomes += (restoration?.items ?? []).map { String(describing: $0.outcome) }
    }
    let taps = (step.buy ?? []).map { purchase in Task { await outcome(purchase) } }
    for tap in taps { report.outcomes.append(await tap.value) }
}

let end = Date(timeIntervalSinceNow: plan.patience)
repeat {
    // Nothing announces that kit and store have nothing left to do, so they are asked.
    try? await Task.sleep(for: .milliseconds(40))
    report.kept = await purchases.keptCount
    report.unfinished = store.unfinished().count
    let entitlements = await purchases.currentEntitlements()
    report.state = word(entitlements)
    report.active = active(entitlements)
} while !isDone(report) && Date() < end
report.actions = countdown.passed
print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
