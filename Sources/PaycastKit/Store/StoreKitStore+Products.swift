#if canImport(StoreKit)
    internal import Foundation
    internal import StoreKit

    extension StoreKitStore {
        public func products(_ ids: [String]) async throws(PurchaseError) -> [StoreProduct] {
            try await call { try await Product.products(for: ids) }.map { StoreProduct($0) }
        }

        /// A group of subscriptions has one answer, and without an offer the answer says nothing.
        public func withEligibility(_ products: [StoreProduct]) async -> [StoreProduct] {
            let ids = products.filter { $0.introductoryOffer != nil }.map(\.id)
            var (groups, eligible): ([String: Bool], [String: Bool]) = ([:], [:])
            for product in (try? await Product.products(for: ids)) ?? [] {
                guard let group = product.subscription?.subscriptionGroupID else { continue }
                if groups[group] == nil {
                    groups[group] = await Product.SubscriptionInfo.isEligibleForIntroOffer(for: group)
                }
                eligible[product.id] = groups[group]
            }
            return products.map { [eligible] in
                var product = $0
                product.introductoryOffer?.isEligible = eligible[product.id]
                return product
            }
        }
    }

    extension StoreProduct {
        fileprivate init(_ product: Product) {
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
