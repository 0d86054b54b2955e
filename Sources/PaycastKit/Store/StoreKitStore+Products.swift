#if canImport(StoreKit)
    internal import Foundation
    internal import StoreKit

    extension StoreKitStore {
        public func products(_ ids: [String]) async throws(PurchaseError) -> [StoreProduct] {
            let products = try await call { try await Product.products(for: ids) }
            // A group of subscriptions has one answer, and without an offer the answer says nothing.
            let groups = Set(
                products.compactMap(\.subscription).filter { $0.introductoryOffer != nil }.map(\.subscriptionGroupID)
            )
            var eligible: [String: Bool] = [:]
            for await (group, isEligible) in StoreKitStore.eligibility(for: groups) { eligible[group] = isEligible }
            return products.map { [eligible] in StoreProduct($0, eligible: eligible) }
        }

        /// Asks for all at once. Prices wait for it a second and no longer.
        private static func eligibility(for groups: Set<String>) -> AsyncStream<(String, Bool)> {
            AsyncStream { continuation in
                let questions = groups.map { group in
                    Task {
                        let isEligible = await Product.SubscriptionInfo.isEligibleForIntroOffer(for: group)
                        continuation.yield((group, isEligible))
                    }
                }
                Task {
                    for question in questions { await question.value }
                    continuation.finish()
                }
                Task {
                    try? await Task.sleep(for: .seconds(1))
                    continuation.finish()
                }
            }
        }
    }

    extension StoreProduct {
        fileprivate init(_ product: Product, eligible: [String: Bool]) {
            self.init(
                id: product.id,
                name: product.displayName,
                details: product.description,
                kind: SignedTransaction.ProductType(product.type),
                displayPrice: product.displayPrice,
                price: product.price,
                currency: product.priceFormatStyle.currencyCode
            )
            guard let subscription = product.subscription else { return }
            period = Period(subscription.subscriptionPeriod)
            introductoryOffer = subscription.introductoryOffer.flatMap { IntroductoryOffer($0) }
            introductoryOffer?.isEligible = eligible[subscription.subscriptionGroupID]
        }
    }

    extension StoreProduct.Period {
        fileprivate init?(_ period: Product.SubscriptionPeriod) {
            switch period.unit {
            case .day: self.init(period.value, .day)
            case .week: self.init(period.value, .week)
            case .month: self.init(period.value, .month)
            case .year: self.init(period.value, .year)
            @unknown default: return nil
            }
        }
    }

    extension StoreProduct.IntroductoryOffer {
        /// Nil for what cannot be told in these words: half of an offer would be a false one.
        fileprivate init?(_ offer: Product.SubscriptionOffer) {
            guard let payment = Payment(offer.paymentMode), let period = StoreProduct.Period(offer.period) else {
                return nil
            }
            self.init(
                payment: payment,
                displayPrice: offer.displayPrice,
                price: offer.price,
                period: period,
                periodCount: offer.periodCount
            )
        }
    }

    extension StoreProduct.IntroductoryOffer.Payment {
        fileprivate init?(_ mode: Product.SubscriptionOffer.PaymentMode) {
            switch mode {
            case .freeTrial: self = .freeTrial
            case .payAsYouGo: self = .payAsYouGo
            case .payUpFront: self = .payUpFront
            default: return nil
            }
        }
    }
#endif
