internal import CWebSockets

/// A timer of lws that calls its owner every `interval` microseconds, on the loop's thread.
public final class LoopTimer {
    private let memory: UnsafeMutableRawPointer
    private let context: OpaquePointer
    private let interval: Int64
    private let action: () -> Void

    /// lws links the timer into its own list, so it needs a fixed address. This object's address is stored behind it.
    private static let ownerOffset = MemoryLayout<lws_sorted_usec_list_t>.stride

    init(context: OpaquePointer, interval: Int64, action: @escaping () -> Void) {
        self.context = context
        self.interval = interval
        self.action = action
        memory = .allocate(byteCount: LoopTimer.ownerOffset + 8, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: LoopTimer.ownerOffset + 8)
        memory.storeBytes(
            of: Unmanaged.passUnretained(self).toOpaque(),
            toByteOffset: LoopTimer.ownerOffset,
            as: UnsafeMutableRawPointer.self
        )
        schedule(after: interval)
    }

    /// The owner releases the timer before the context is destroyed.
    deinit {
        schedule(after: Int64(LWS_SET_TIMER_USEC_CANCEL))
        memory.deallocate()
    }

    private func schedule(after microseconds: Int64) {
        let list = memory.assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        lws_sul_schedule(context, 0, list, { LoopTimer.fired($0) }, microseconds)
    }

    private static func fired(_ list: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
        guard let list else { return }
        let owner = UnsafeRawPointer(list).load(fromByteOffset: ownerOffset, as: UnsafeRawPointer.self)
        let timer = Unmanaged<LoopTimer>.fromOpaque(owner).takeUnretainedValue()
        timer.schedule(after: timer.interval)
        timer.action()
    }
}
