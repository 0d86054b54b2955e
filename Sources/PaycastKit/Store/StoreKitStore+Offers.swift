#if canImport(StoreKit)
    internal import StoreKit

    extension Product {
        func option(for offer: PurchaseOffer) throws(PurchaseError) -> PurchaseOption {
            switch offer {
            case .promotional(let id, let signature):
                return .promotionalOffer(
                    offerID: id,
                    keyID: signature.keyID,
                    nonce: signature.nonce,
                    signature: signature.signature,
                    timestamp: signature.timestamp
                )
            case .winBack(let id):
                guard #available(iOS 18, macOS 15, *),
                    let offer = subscription?.winBackOffers.first(where: { $0.id == id })
                else { throw .unknownOffer }
                return .winBackOffer(offer)
            }
        }
    }

    extension IntendedPurchase {
        @available(iOS 16.4, macOS 14.4, *)
        init(_ intent: PurchaseIntent) {
            self.init(product: intent.id)
            if #available(iOS 18, macOS 15, *), let offer = intent.offer, offer.type == .winBack, let id = offer.id {
                self.offer = .winBack(id: id)
            }
        }
    }
#endif
