internal import CWebSockets
internal import Glibc

/// Has libuv report when a descriptor can be read or written, and closes it in the end.
///
/// Bypasses lws, on the loop that lws runs: adoption by lws costs eight system calls and a turn of the loop, each close
/// a walk over its table of descriptors (10 to 100 µs with 10,000 connections). Confined to its loop's thread.
final class SocketWatch {
    private let descriptor: Int32
    /// libuv links the handle into the loop, so it needs a fixed address until its end has been reported.
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private var events: Int32 = 0
    /// Nil before the start, and once the end has been reported.
    private var handler: ((Socket.Report) -> Void)?

    /// Nil when libuv cannot take the descriptor, which then stays open.
    init?(_ descriptor: Int32, on loop: EventLoop) {
        self.descriptor = descriptor
        handle = .allocate(capacity: 1)
        guard uv_poll_init(loop.uv, handle, descriptor) == 0 else { return nil }
    }

    deinit {
        handle.deallocate()
    }

    /// Keeps `handler` and this object until the descriptor is closed.
    func start(handler: @escaping (Socket.Report) -> Void) {
        self.handler = handler
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        report(reading: true, writing: false)
    }

    /// Level-triggered: libuv repeats each report for as long as its condition holds. A change costs two system calls.
    func report(reading: Bool, writing: Bool) {
        let wanted = Int32(reading ? UV_READABLE.rawValue : 0) | Int32(writing ? UV_WRITABLE.rawValue : 0)
        guard wanted != events, handler != nil else { return }
        events = wanted
        guard wanted != 0 else {
            uv_poll_stop(handle)
            return
        }
        uv_poll_start(handle, wanted) { handle, status, events in
            SocketWatch.owner(of: handle?.pointee.data)?.report(status: status, events: events)
        }
    }

    /// Closes the descriptor at the loop's next turn.
    func end() {
        let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
        uv_close(base) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<SocketWatch>.fromOpaque(data).takeRetainedValue().hasEnded()
        }
    }

    private static func owner(of data: UnsafeMutableRawPointer?) -> SocketWatch? {
        data.map { Unmanaged<SocketWatch>.fromOpaque($0).takeUnretainedValue() }
    }

    /// After a failed `status` libuv has stopped the reports.
    private func report(status: Int32, events: Int32) {
        guard status >= 0 else {
            handler?(.failed)
            return
        }
        let readable = Int32(UV_READABLE.rawValue)
        let writable = Int32(UV_WRITABLE.rawValue)
        handler?(.ready(reading: events & readable != 0, writing: events & writable != 0))
    }

    private func hasEnded() {
        close(descriptor)
        let last = handler
        handler = nil
        last?(.closed)
    }
}
