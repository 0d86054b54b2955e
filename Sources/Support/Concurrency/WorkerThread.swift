import CLinux
import Glibc
import Synchronization

/// A named thread that runs one body. Its owner joins it.
public struct WorkerThread: Sendable {
    private let thread: pthread_t

    /// Starts `body`; `name` (15 bytes at most) is what `top -H` and a debugger show.
    ///
    /// Use it while the program starts: the program cannot run without this thread, so a failure ends it with one line
    /// that says what to do. A running server starts threads with `detach`.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        guard let thread = WorkerThread.start(name, body: body) else {
            let line = "paycast: no thread can be started (\(name)); raise the limit of threads (ulimit -u)\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(EXIT_FAILURE)
        }
        self.thread = thread
    }

    /// Runs `body` on a thread that nobody joins: `body` must end by itself. Returns false, and does not run it, when
    /// the system cannot start a thread.
    @discardableResult
    public static func detach(name: String, body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = start(name, body: body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Waits until the body has returned. Call it once only.
    public func join() {
        pthread_join(thread, nil)
    }

    private static func start(_ name: String, body: @escaping @Sendable () -> Void) -> pthread_t? {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, run, start.toOpaque()) == 0 else {
            start.release()
            return nil
        }
        return thread
    }
}

/// A thread that its owner starts once, and ends in whatever way its body understands. Any thread may call these.
public final class OwnedThread: Sendable {
    private let running = Mutex<WorkerThread?>(nil)

    public init() {}

    public func start(_ name: String, body: @escaping @Sendable () -> Void) {
        running.withLock { $0 = WorkerThread(name: name, body: body) }
    }

    /// Waits until `body` has opened what it works with, and says so with what others may know of that. Throws what it
    /// throws before; the thread has ended then. `body` must call `opened` or throw, and must not throw afterwards.
    public func start<Opened: Sendable, Failure: Error>(
        _ name: String,
        opening body: @escaping @Sendable (_ opened: (Opened) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> Opened {
        let result = Promise<Result<Opened, Failure>>()
        start(name) {
            do throws(Failure) { try body { result.fulfil(.success($0)) } } catch { result.fulfil(.failure(error)) }
        }
        do throws(Failure) {
            return try result.wait().get()
        } catch {
            join()
            throw error
        }
    }

    /// Waits until the body has returned. Does nothing the second time, and if the thread was not started.
    public func join() {
        let started = running.withLock { running in
            defer { running = nil }
            return running
        }
        started?.join()
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
