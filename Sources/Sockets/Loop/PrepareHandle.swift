internal import CWebSockets

/// libuv's prepare handle: calls its owner on the loop's thread each time before libuv waits for events.
final class PrepareHandle {
    /// libuv links the handle into the loop, so it needs a fixed address. Never freed, like the loop itself.
    private let handle = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    private let prepare: () -> Void

    /// The owner keeps this object for as long as the loop runs.
    init(on loop: UnsafeMutablePointer<uv_loop_t>, prepare: @escaping () -> Void) {
        self.prepare = prepare
        uv_prepare_init(loop, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(handle) { handle in
            guard let owner = handle?.pointee.data else { return }
            Unmanaged<PrepareHandle>.fromOpaque(owner).takeUnretainedValue().prepare()
        }
    }

    deinit {
        uv_prepare_stop(handle)
    }
}
