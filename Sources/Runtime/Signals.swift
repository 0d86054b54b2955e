internal import Glibc

/// SIGTERM and SIGINT as something that a thread waits for.
public enum Signals {
    /// Call first in `main`: threads inherit the mask, so the signals stay pending until `wait` takes them.
    public static func block() {
        var set = stopSet()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Sleeps until SIGTERM or SIGINT arrives.
    public static func wait() {
        var set = stopSet()
        var received: Int32 = 0
        while sigwait(&set, &received) != 0 {}
    }

    /// Somebody who asks twice does not want to wait: the next one ends the process at once.
    public static func exitOnNext() {
        _ = WorkerThread(name: "signals") {
            wait()
            _exit(1)
        }
    }

    private static func stopSet() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }
}
