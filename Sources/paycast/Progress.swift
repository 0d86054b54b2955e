internal import Concurrency
internal import Domain
internal import Glibc

/// How far a long command is, on one line of the terminal that is written over again. Nothing when nobody looks.
struct Progress {
    private let isShown = isatty(STDERR_FILENO) == 1

    /// Clear it before anything else is printed.
    func show(_ text: String) { write("\r\u{1B}[K" + text) }

    func clear() { write("\r\u{1B}[K") }

    /// Tells every second how long `body` has taken, and what `status` says of it, asked on a thread of its own.
    func counting<Value>(
        _ what: String,
        status: @escaping @Sendable () -> String? = { nil },
        while body: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        guard isShown else { return try body() }
        let bell = Waker()
        let end = Mailbox<Never>(capacity: 0) { bell.wake() }
        let start = ContinuousClock.now
        let thread = WorkerThread(name: "progress") {
            while !end.isClosed {
                let told = status().map { ", " + $0 } ?? ""
                show("\(what) … \(start.duration(to: .now).components.seconds) s\(told)")
                bell.wait(timeout: .seconds(1))
            }
            clear()
        }
        defer {
            end.close()
            thread.join()
        }
        return try body()
    }

    private func write(_ text: String) {
        guard isShown else { return }
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
