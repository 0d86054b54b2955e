/// Calls its owner again and again, on the loop's thread, for as long as the owner keeps it.
public final class LoopTimer {
    private let entry: LoopTimers.Entry

    init(_ entry: LoopTimers.Entry) {
        self.entry = entry
    }

    deinit {
        entry.action = nil
    }
}

/// The timers of one loop. It has two: its tick, which turns the wheels of everything else, and the last second.
struct LoopTimers {
    final class Entry {
        fileprivate let interval: UInt64
        fileprivate var due: UInt64
        /// Nil once nobody keeps the timer.
        fileprivate(set) var action: (() -> Void)?

        fileprivate init(interval: UInt64, due: UInt64, action: @escaping () -> Void) {
            self.interval = interval
            self.due = due
            self.action = action
        }
    }

    private var entries: [Entry] = []
    /// When the first of them is due.
    private var next = UInt64.max

    /// `interval` and `now` are in nanoseconds.
    mutating func add(interval: UInt64, now: UInt64, action: @escaping () -> Void) -> LoopTimer {
        let entry = Entry(interval: interval, due: now + interval, action: action)
        entries.append(entry)
        next = min(next, entry.due)
        return LoopTimer(entry)
    }

    /// The actions whose time has come; each is then due after its next interval. What a stopped process has slept
    /// through is not made up for: it would come as one burst.
    mutating func due(at now: UInt64) -> [() -> Void] {
        guard now >= next else { return [] }
        entries.removeAll { $0.action == nil }
        let due = entries.filter { $0.due <= now }
        for entry in due {
            let following = entry.due + entry.interval
            entry.due = following > now ? following : now + entry.interval
        }
        next = entries.lazy.map(\.due).min() ?? .max
        return due.compactMap(\.action)
    }

    /// Milliseconds until the next one is due, rounded up so that nobody wakes too early; −1 without one.
    func milliseconds(from now: UInt64) -> Int32 {
        guard next != .max else { return -1 }
        return next <= now ? 0 : Int32(clamping: (next - now + 999_999) / 1_000_000)
    }
}
