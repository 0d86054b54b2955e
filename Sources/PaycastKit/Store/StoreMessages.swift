#if canImport(StoreKit) && canImport(UIKit)
    internal import StoreKit
    internal import UIKit

    /// Shows what the App Store has to tell, such as a declined payment, and not on top of a paywall.
    ///
    /// Without it StoreKit shows each message at once.
    @MainActor
    public final class StoreMessages {
        /// Set it while a paywall is on the screen.
        public var isDeferred = false {
            didSet { show() }
        }
        private var waiting = WaitingMessages<Message>()

        public init() {}

        /// Listens for the rest of the process.
        public func start() {
            Task {
                for await message in Message.messages {
                    waiting.append(message)
                    show()
                }
            }
            // What found no window, or one that did not take it, finds one when the app is back.
            Task { for await event in SystemEvent.all() where event == .cameToFront { show() } }
        }

        private func show() {
            guard !isDeferred, let scene = ActiveScene.current else { return }
            waiting.show { try $0.display(in: scene) }
        }
    }
#endif

/// What is to be shown and could not be yet. Nothing is dropped for that.
struct WaitingMessages<Message> {
    private var waiting: [Message] = []

    mutating func append(_ message: Message) { waiting.append(message) }

    /// In the order of their arrival; what throws is shown the next time.
    mutating func show(_ display: (Message) throws -> Void) {
        waiting.removeAll { (try? display($0)) != nil }
    }
}
