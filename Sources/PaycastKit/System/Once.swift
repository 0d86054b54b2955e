internal import Foundation

/// The lock guards the answer.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false

    func isFirst() -> Bool {
        lock.withLock {
            defer { isOver = true }
            return !isOver
        }
    }
}
