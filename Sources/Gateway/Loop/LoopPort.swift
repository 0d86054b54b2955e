internal import CWebSockets
internal import Domain
internal import Hub
internal import Runtime
internal import Synchronization

/// The only door into a loop, for any thread.
final class LoopPort: Sendable {
    enum Message: Sendable {
        case reply(ConnectionID, Response)
        case missed(SubscriptionID, MissedMessages)
        case publish([Publication])
        case refreshPages
        /// The front door has a connection for this loop.
        case adopt(Arrival)
        /// New connections are shown this one.
        case identity(ServerIdentity)
        case drain(Promise<Void>)
        case stop
    }

    /// `lws_cancel_service` is the only call of lws that other threads may make, and only while the context lives
    /// (https://libwebsockets.org/lws-api-doc-main/html/group__callback-when-writeable.html): the address is cut under
    /// the lock before the context is destroyed.
    private final class Waker: Sendable {
        private let context = Mutex<UInt?>(nil)

        func connect(_ address: UInt?) {
            context.withLock { $0 = address }
        }

        func wake() {
            context.withLock { address in
                guard let address, let context = OpaquePointer(bitPattern: address) else { return }
                lws_cancel_service(context)
            }
        }
    }

    private let waker: Waker
    /// The streams that somebody of this loop follows, and how many do: for the other loops.
    private let followed = Mutex<[StreamName: Int]>([:])
    private let mailbox: Mailbox<Message>

    init() {
        let waker = Waker()
        self.waker = waker
        // Unbounded on purpose: what arrives was admitted by bounded queues before it, and a reply must never be lost.
        mailbox = Mailbox(capacity: .max) { waker.wake() }
    }

    func send(_ message: Message) {
        mailbox.send(message)
    }

    /// A hand-over to another thread costs more than the whole fan-out to one page: ask before a transient broadcast.
    func follows(_ stream: StreamName) -> Bool {
        followed.withLock { $0[stream] != nil }
    }

    /// On the loop's thread: one follower more or less.
    func count(_ change: Int, followersOf stream: StreamName) {
        followed.withLock { followed in
            let count = followed[stream, default: 0] + change
            followed[stream] = count > 0 ? count : nil
        }
    }

    var isEmpty: Bool { mailbox.count == 0 }

    func drain() -> [Message] { mailbox.drain() }

    /// On the loop's thread: before the first service, and with nil before the context goes.
    func connect(_ context: OpaquePointer?) {
        waker.connect(context.map { UInt(bitPattern: $0) })
        if context != nil, mailbox.count > 0 { waker.wake() }
    }
}
