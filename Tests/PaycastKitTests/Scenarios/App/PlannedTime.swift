internal import Foundation
internal import PaycastKit

/// A clock that is wrong, and one that runs faster, so that nobody has to wait for the app's own waits.
struct PlannedTime: Timekeeper {
    private let start = Date()
    /// In seconds.
    let error: Double
    let pace: Double

    init(error: Double, pace: Double) {
        self.error = error
        self.pace = pace
    }

    var now: Date { start.addingTimeInterval(error + Date().timeIntervalSince(start) * pace) }

    /// What the app's clock does on a phone, only faster: this is what others wait with.
    func sleep(until date: Date) async {
        try? await Task.sleep(for: .seconds(max(date.timeIntervalSince(now), 0) / pace))
    }
}
