internal import Foundation

/// How often the store was asked to finish a transaction, and when it is asked again if it says nothing.
struct Finishing: Equatable, Sendable {
    static let patience: TimeInterval = 30
    /// Each may be a call that hangs. After the last, the app's return to the foreground begins anew.
    static let tries = 3

    var tried = 1
    private(set) var due: Date

    init(at now: Date, tried: Int = 1) {
        self.tried = tried
        due = now.addingTimeInterval(Finishing.patience * Double(1 << tried) / 2)
    }

    var mayTryAgain: Bool { tried < Finishing.tries }

    func next(at now: Date) -> Finishing { Finishing(at: now, tried: tried + 1) }
}
