internal import CLinux
internal import Glibc

/// A named thread with one body. Its owner joins it.
public struct WorkerThread: Sendable {
    private let thread: pthread_t

    /// Starts `body`; `name` (15 bytes at most) is what `top -H` and a debugger show.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, run, start.toOpaque())
        precondition(status == 0, "pthread_create: \(status); raise the limit of threads (ulimit -u)")
        self.thread = thread
    }

    /// Runs `body` on a thread that nobody waits for: it must come to its end by itself.
    public static func detach(name: String, body: @escaping @Sendable () -> Void) {
        pthread_detach(WorkerThread(name: name, body: body).thread)
    }

    /// Waits until the body has returned. Once only.
    public func join() {
        pthread_join(thread, nil)
    }
}

private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    pthread_setname_np(pthread_self(), String(start.name.prefix(15)))
    start.body()
    return nil
}
