/// Lets one of many similar lines through per minute, with the number of lines that it stands for. Pure.
public struct LineLimit<Key: Hashable & Sendable>: Sendable {
    private struct Window {
        var openedAt: MonotonicTime
        var held = 0
    }

    /// Nanoseconds.
    private static var minute: UInt64 { 60_000_000_000 }

    private var windows: [Key: Window] = [:]

    public init() {}

    /// Returns how many lines the one written now stands for, or nil if none should be written. The keys must be few and
    /// fixed, so that clients cannot add any.
    public mutating func admit(_ key: Key, now: MonotonicTime) -> Int? {
        guard var window = windows[key], now < window.openedAt + LineLimit.minute else {
            let held = windows[key]?.held ?? 0
            windows[key] = Window(openedAt: now)
            return held + 1
        }
        window.held += 1
        windows[key] = window
        return nil
    }
}
