/// Lets one of many like lines through in a minute, with the number of those that it stands for. Pure.
public struct LineLimit<Key: Hashable & Sendable>: Sendable {
    private struct Window {
        var openedAt: UInt64
        var held = 0
    }

    /// Nanoseconds.
    private static var minute: UInt64 { 60_000_000_000 }

    private var windows: [Key: Window] = [:]

    public init() {}

    /// How many lines the one that is written now stands for; nil: write none. `now` is in monotonic nanoseconds; keys
    /// are few, and known before anybody connects.
    public mutating func admit(_ key: Key, now: UInt64) -> Int? {
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
