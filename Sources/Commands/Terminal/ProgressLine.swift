import Glibc
import Support

/// How far a long command has come, on one line of the terminal, which is overwritten. Without a terminal, it shows nothing.
public struct ProgressLine: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    public init() {}

    /// Call `clear` before printing anything else.
    public func show(_ text: String) { write("\r\u{1B}[K" + text) }

    public func clear() { write("\r\u{1B}[K") }

    /// Shows every second how long `body` has taken, and what `status` says; `status` runs on a separate thread.
    public func counting<Value>(
        _ what: String,
        status: @escaping @Sendable () -> String? = { nil },
        while body: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        guard isShown else { return try body() }
        let start = ContinuousClock.now
        // `body` may end before the thread begins.
        show("\(what) … 0 s")
        let routine = Routine()
        routine.start("progress", state: ()) { _ in
            let told = status().map { ", " + $0 } ?? ""
            show("\(what) … \(start.duration(to: .now).components.seconds) s\(told)")
            return .seconds(1)
        }
        defer {
            routine.end()
            clear()
        }
        return try body()
    }

    private func write(_ text: String) {
        guard isShown else { return }
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
