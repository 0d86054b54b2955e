package import Foundation

/// How often the store was asked to finish a transaction, and when it is asked again if it says nothing.
package struct Finishing: Equatable, Sendable {
    package static let patience: TimeInterval = 30
    /// Each may be a call that hangs. After the last, the app's return to the foreground begins anew.
    package static let tries = 3

    package var tried = 1
    package private(set) var due: Date

    package init(at now: Date, tried: Int = 1) {
        self.tried = tried
        due = now.addingTimeInterval(Finishing.patience * Double(1 << tried) / 2)
    }

    package var mayTryAgain: Bool { tried < Finishing.tries }

    package func next(at now: Date) -> Finishing { Finishing(at: now, tried: tried + 1) }
}
