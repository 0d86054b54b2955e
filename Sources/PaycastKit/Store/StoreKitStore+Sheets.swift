#if canImport(StoreKit)
    internal import StoreKit

    #if canImport(UIKit)
        internal import UIKit

        /// The window scene in front.
        @MainActor
        enum ActiveScene {
            static var current: UIWindowScene? {
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                return scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
            }
        }

        extension StoreKitStore {
            public func showManageSubscriptions() async throws(PurchaseError) {
                try await call { try await AppStore.showManageSubscriptions(in: try await StoreKitStore.scene()) }
            }

            public func redeemOfferCode() async throws(PurchaseError) {
                try await call { try await AppStore.presentOfferCodeRedeemSheet(in: try await StoreKitStore.scene()) }
            }

            public func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest {
                guard case .verified(let transaction)? = await Transaction.latest(for: product) else {
                    throw .nothingBought
                }
                let status = try await call {
                    try await Transaction.beginRefundRequest(for: transaction.id, in: try await StoreKitStore.scene())
                }
                switch status {
                case .success: return .requested
                case .userCancelled: return .cancelled
                @unknown default: throw .store("an unknown result of a refund request")
                }
            }

            @MainActor
            private static func scene() throws(PurchaseError) -> UIWindowScene {
                guard let scene = ActiveScene.current else { throw .store("no window is open") }
                return scene
            }
        }

        /// Shows what the App Store has to tell, such as a declined payment, and not on top of a paywall.
        ///
        /// Without it StoreKit shows each message at once.
        @MainActor
        public final class StoreMessages {
            /// Set it while a paywall is on the screen.
            public var isDeferred = false {
                didSet { show() }
            }
            private var waiting: [Message] = []

            public init() {}

            /// Listens for the rest of the process.
            public func start() {
                Task {
                    for await message in Message.messages {
                        waiting.append(message)
                        show()
                    }
                }
            }

            private func show() {
                guard !isDeferred, let scene = ActiveScene.current else { return }
                for message in waiting { try? message.display(in: scene) }
                waiting = []
            }
        }
    #else
        extension StoreKitStore {
            public func showManageSubscriptions() async throws(PurchaseError) { throw .noSheet }
            public func redeemOfferCode() async throws(PurchaseError) { throw .noSheet }
            public func requestRefund(of _: String) async throws(PurchaseError) -> RefundRequest { throw .noSheet }
        }

        extension PurchaseError {
            fileprivate static var noSheet: PurchaseError { .store("this system has no such sheet") }
        }
    #endif
#endif
