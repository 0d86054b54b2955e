#if canImport(StoreKit) && canImport(UIKit)
    internal import Foundation
    internal import StoreKit
    internal import UIKit

    /// The window scene in front.
    @MainActor
    enum ActiveScene {
        /// `UIApplication.shared` does not compile in what an app's extension links, and an extension has no application.
        static var application: UIApplication? {
            Bundle.main.bundlePath.hasSuffix(".appex")
                ? nil : UIApplication.value(forKey: "sharedApplication") as? UIApplication
        }

        static var current: UIWindowScene? {
            let scenes = (application?.connectedScenes ?? []).compactMap { $0 as? UIWindowScene }
            return scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        }

        static func required() throws(PurchaseError) -> UIWindowScene {
            guard let scene = current else { throw .store("no window is open") }
            return scene
        }
    }

    extension StoreKitStore {
        public func showManageSubscriptions() async throws(PurchaseError) {
            try await call { try await AppStore.showManageSubscriptions(in: try await ActiveScene.required()) }
        }

        public func redeemOfferCode() async throws(PurchaseError) {
            try await call { try await AppStore.presentOfferCodeRedeemSheet(in: try await ActiveScene.required()) }
        }

        public func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest {
            guard case .verified(let transaction)? = await Transaction.latest(for: product) else {
                throw .nothingBought
            }
            let request = try await call {
                try await Transaction.beginRefundRequest(for: transaction.id, in: try await ActiveScene.required())
            }
            switch request {
            case .success: return .requested
            case .userCancelled: return .cancelled
            @unknown default: throw .store("an unknown result of a refund request")
            }
        }
    }
#elseif canImport(StoreKit) && canImport(AppKit)
    internal import AppKit
    internal import Foundation

    /// On a Mac, the account's own pages, in the App Store or a browser.
    extension StoreKitStore {
        public func showManageSubscriptions() async throws(PurchaseError) {
            try await open("https://apps.apple.com/account/subscriptions")
        }

        public func redeemOfferCode() async throws(PurchaseError) { try await open("https://apps.apple.com/redeem") }

        public func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest {
            try await open("https://reportaproblem.apple.com")
            return .shown
        }

        private func open(_ page: String) async throws(PurchaseError) {
            guard let url = URL(string: page), await MainActor.run(body: { NSWorkspace.shared.open(url) }) else {
                throw .store("\(page) does not open")
            }
        }
    }
#endif
