internal import CWebSockets
internal import Glibc

/// Has libuv say when a descriptor can be read or written, and closes it in the end.
///
/// Past lws, on the loop that lws runs: an adoption by lws costs eight system calls and a turn of the loop, each close a
/// walk over its table of descriptors (10 to 100 µs with 10,000 connections). Confined to its loop's thread.
final class SocketWatch {
    private let descriptor: Int32
    /// libuv links it into the loop: it needs a fixed address until its end has been reported.
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private var events: Int32 = 0
    /// Outlives what it watches.
    private unowned let loop: SocketLoop
    /// Whom the reports are for; nil once the end has been reported.
    private var connection: Connection?

    /// Nil when libuv cannot take the descriptor; it stays open.
    init?(_ descriptor: Int32, for loop: SocketLoop) {
        self.descriptor = descriptor
        self.loop = loop
        handle = .allocate(capacity: 1)
        guard uv_poll_init(loop.uv, handle, descriptor) == 0 else { return nil }
    }

    deinit {
        handle.deallocate()
    }

    /// Kept until the descriptor is closed, and this object with it.
    func start(_ connection: Connection) {
        self.connection = connection
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        report(reading: true, writing: false)
    }

    /// Level-triggered: what is asked for is reported again and again while it is so. A change costs two system calls.
    func report(reading: Bool, writing: Bool) {
        let wanted = Int32(reading ? UV_READABLE.rawValue : 0) | Int32(writing ? UV_WRITABLE.rawValue : 0)
        guard wanted != events, connection != nil else { return }
        events = wanted
        guard wanted != 0 else {
            uv_poll_stop(handle)
            return
        }
        uv_poll_start(handle, wanted) { handle, status, events in
            SocketWatch.owner(of: handle?.pointee.data)?.isReady(status, events)
        }
    }

    /// The descriptor is closed when the loop comes round.
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

    /// With a failed `status` libuv reports nothing more; what had come before may still be read.
    private func isReady(_ status: Int32, _ events: Int32) {
        guard let connection else { return }
        loop.serve(connection) { connection in
            if events & Int32(UV_WRITABLE.rawValue) != 0 { loop.writable(connection) }
            guard connection.isOpen else { return }
            if events & Int32(UV_READABLE.rawValue) != 0 || status < 0 { loop.readable(connection) }
            if status < 0 { loop.end(connection) }
        }
    }

    private func hasEnded() {
        close(descriptor)
        guard let connection else { return }
        self.connection = nil
        loop.closed(connection)
    }
}
