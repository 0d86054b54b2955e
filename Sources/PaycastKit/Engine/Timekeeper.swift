internal import Foundation

/// The clock, as the engine needs it. Tests turn its hands themselves.
protocol Timekeeper: Sendable {
    var now: Date { get }
    /// Returns early when its task is cancelled.
    func sleep(until date: Date) async
}

struct SystemTime: Timekeeper {
    /// How wrong the device's clock is, in seconds. Only tests set it.
    var error: TimeInterval = 0

    var now: Date { Date().addingTimeInterval(error) }

    func sleep(until date: Date) async {
        try? await Task.sleep(for: .seconds(max(date.timeIntervalSince(now), 0)))
    }
}
