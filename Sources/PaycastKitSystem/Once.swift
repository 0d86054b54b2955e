internal import Foundation

/// The lock guards the answer.
package final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false

    package init() {}

    package func isFirst() -> Bool {
        lock.withLock {
            defer { isOver = true }
            return !isOver
        }
    }
}
