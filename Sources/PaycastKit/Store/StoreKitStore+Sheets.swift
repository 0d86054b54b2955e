#if canImport(StoreKit)
    internal import StoreKit

    extension StoreKitStore {
        public func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest {
            guard case .verified(let transaction)? = await Transaction.latest(for: product) else {
                throw .nothingBought
            }
            switch try await call({ try await StoreKitStore.showRefundSheet(for: transaction.id) }) {
            case .success: return .requested
            case .userCancelled: return .cancelled
            @unknown default: throw .store("an unknown result of a refund request")
            }
        }
    }

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

            @MainActor
            private static func showRefundSheet(for transaction: UInt64) async throws -> Transaction.RefundRequestStatus
            {
                try await Transaction.beginRefundRequest(for: transaction, in: try scene())
            }

            @MainActor
            private static func scene() throws(PurchaseError) -> UIWindowScene {
                guard let scene = ActiveScene.current else { throw .store("no window is open") }
                return scene
            }
        }
    #elseif canImport(AppKit)
        internal import AppKit
        internal import Foundation

        /// A Mac has no scenes: a sheet belongs to a view controller, and one of the three does not exist.
        extension StoreKitStore {
            /// Opens the account's page, in the App Store or a browser: the SDK of Xcode 26 declares no sheet for a Mac.
            public func showManageSubscriptions() async throws(PurchaseError) {
                guard let page = URL(string: "https://apps.apple.com/account/subscriptions"),
                    await MainActor.run(body: { NSWorkspace.shared.open(page) })
                else { throw .store("the page of subscriptions does not open") }
            }

            /// https://developer.apple.com/documentation/storekit/appstore/presentoffercoderedeemsheet(from:)
            public func redeemOfferCode() async throws(PurchaseError) {
                guard #available(macOS 15, *) else { throw .store("offer codes need macOS 15") }
                try await call { try await StoreKitStore.showRedeemSheet() }
            }

            @available(macOS 15, *)
            @MainActor
            private static func showRedeemSheet() async throws {
                try await withController { try await AppStore.presentOfferCodeRedeemSheet(from: $0) }
            }

            /// https://developer.apple.com/documentation/storekit/transaction/beginrefundrequest(for:in:)-9mscy
            @MainActor
            private static func showRefundSheet(for transaction: UInt64) async throws -> Transaction.RefundRequestStatus
            {
                try await withController { try await Transaction.beginRefundRequest(for: transaction, in: $0) }
            }

            /// Of the window in front. One that has no controller of its own, as SwiftUI may make it, lends an empty view to one for
            /// as long as the sheet is up.
            @MainActor
            private static func withController<Value: Sendable>(
                _ body: @MainActor (NSViewController) async throws -> Value
            ) async throws -> Value {
                let app = NSApplication.shared
                let front = app.keyWindow ?? app.mainWindow ?? app.windows.first { $0.isVisible }
                if let controller = front?.contentViewController { return try await body(controller) }
                guard let content = front?.contentView else { throw PurchaseError.store("no window is open") }
                let controller = NSViewController()
                controller.view = NSView()
                content.addSubview(controller.view)
                defer { controller.view.removeFromSuperview() }
                return try await body(controller)
            }
        }
    #endif
#endif
