import Glibc

/// Signals that a thread can wait for.
public enum Signals {
    public enum Received: Sendable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP.
        case reload
    }

    /// Call first in a server's `main`: threads inherit the mask, so the signals stay pending until `next` takes them.
    ///
    /// SIGUSR1 and SIGUSR2 do nothing here. Other servers rotate logs or dump state on them, and an operator who sends
    /// one out of habit must not kill this server.
    public static func block() {
        var set = set(of: stopSignals + [SIGHUP])
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // Exceeding the file size limit should fail that write, not end the server.
        for ignored in [SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ] { signal(ignored, SIG_IGN) }
    }

    /// Sleeps until SIGTERM, SIGINT or SIGHUP arrives.
    public static func next() -> Received {
        wait(for: stopSignals + [SIGHUP]) == SIGHUP ? .reload : .stop
    }

    /// An operator who asks twice does not want to wait: the next stop signal ends the process at once. SIGHUP does not
    /// count and stays pending.
    public static func exitOnNext() {
        WorkerThread.detach(name: "signals") {
            _ = wait(for: stopSignals)
            _exit(1)
        }
    }

    private static let stopSignals = [SIGTERM, SIGINT]

    private static func wait(for signals: [Int32]) -> Int32 {
        var set = set(of: signals)
        var received: Int32 = 0
        while sigwait(&set, &received) != 0 {}
        return received
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
