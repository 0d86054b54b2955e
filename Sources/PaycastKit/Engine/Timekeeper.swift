package import Foundation

/// The clock, as the engine needs it. Tests turn its hands themselves.
package protocol Timekeeper: Sendable {
    var now: Date { get }
    /// Returns early when its task is cancelled.
    func sleep(until date: Date) async
}

struct SystemTime: Timekeeper {
    var now: Date { Date() }

    func sleep(until date: Date) async {
        try? await Task.sleep(for: .seconds(max(date.timeIntervalSince(now), 0)))
    }
}
