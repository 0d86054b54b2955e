internal import Runtime

/// The only door to the front door's thread, for any thread.
final class FrontDoorPort: Sendable {
    enum Message: Sendable {
        /// New connections are shown this one.
        case identity(ServerIdentity)
        /// Accept no more, and take no more requests.
        case drain
        case stop
    }

    let poller = Poller()
    private let mailbox: Mailbox<Message>

    init() {
        let poller = poller
        mailbox = Mailbox(capacity: .max) { poller.wake() }
    }

    func send(_ message: Message) {
        mailbox.send(message)
    }

    func take() -> [Message] { mailbox.drain() }
}
