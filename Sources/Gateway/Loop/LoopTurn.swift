internal import CWebSockets

/// Calls its owner on the loop's thread each time before libuv waits for events.
final class LoopTurn {
    /// libuv links the handle into the loop, so it needs a fixed address. Never freed, like the loop itself.
    private let handle = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    private let end: () -> Void

    /// The owner keeps this object for as long as the loop runs.
    init(of loop: UnsafeMutablePointer<uv_loop_t>, end: @escaping () -> Void) {
        self.end = end
        uv_prepare_init(loop, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(handle) { handle in
            guard let owner = handle?.pointee.data else { return }
            Unmanaged<LoopTurn>.fromOpaque(owner).takeUnretainedValue().end()
        }
    }

    deinit {
        uv_prepare_stop(handle)
    }
}
