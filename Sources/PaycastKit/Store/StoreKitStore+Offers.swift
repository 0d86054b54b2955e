#if canImport(StoreKit)
    internal import StoreKit

    /// Of ours and not of `Product`: inside StoreKit's types, its nested names hide ours (`Product.PurchaseError`).
    extension PurchaseOffer {
        func options(of product: Product) throws(PurchaseError) -> [Product.PurchaseOption] {
            switch self {
            case .promotional(let id, let jws): return Product.PurchaseOption.promotionalOffer(id, compactJWS: jws)
            case .introductory(let jws): return [.introductoryOfferEligibility(compactJWS: jws)]
            case .winBack(let id), .named(let id):
                guard #available(iOS 18, macOS 15, *),
                    let offer = product.subscription?.winBackOffers.first(where: { $0.id == id })
                else { throw .unknownOffer }
                return [.winBackOffer(offer)]
            }
        }
    }

    extension IntendedPurchase {
        @available(iOS 16.4, macOS 14.4, *)
        init(_ intent: PurchaseIntent) {
            self.init(product: intent.product.id)
            if #available(iOS 18, macOS 15, *), let offer = intent.offer, offer.type == .winBack, let id = offer.id {
                self.offer = .winBack(id: id)
            }
        }
    }
#endif
