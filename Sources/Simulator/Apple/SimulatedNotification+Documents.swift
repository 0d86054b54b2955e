internal import Domain

extension SimulatedNotification {
    /// `appTransactionId`: one for each account's download of the app.
    var download: String { StoreID.make(subscription.lineage, "download") }

    var data: DataDocument {
        DataDocument(appAppleId: appID, bundleId: bundleID, environment: environment.rawValue)
    }

    var summary: SummaryDocument {
        SummaryDocument(
            environment: environment.rawValue,
            appAppleId: appID,
            bundleId: bundleID,
            productId: subscription.product,
            requestIdentifier: OrderToken.random().description
        )
    }

    /// Only the prefix marks a Sandbox token.
    var purchaseToken: TokenDocument {
        TokenDocument(
            externalPurchaseId: (environment == .sandbox ? "SANDBOX_" : "") + OrderToken.random().description,
            tokenCreationDate: now.milliseconds,
            appAppleId: appID,
            bundleId: bundleID
        )
    }

    func transaction(_ scene: StoreScene) -> TransactionDocument {
        let isSubscription = scene.product.kind == .subscription
        var document = TransactionDocument(
            transactionId: isSubscription
                ? StoreID.make(scene.lineage, String(scene.period.milliseconds)) : scene.lineage,
            originalTransactionId: scene.lineage,
            appTransactionId: download,
            bundleId: bundleID,
            productId: scene.product.id,
            purchaseDate: scene.purchasedAt.milliseconds,
            originalPurchaseDate: scene.purchasedAt.milliseconds,
            type: scene.product.appleType,
            inAppOwnershipType: scene.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED",
            signedDate: now.milliseconds,
            environment: environment.rawValue,
            transactionReason: scene.reason,
            price: scene.product.price,
            currency: scene.product.currency
        )
        document.previousOriginalTransactionId = scene.previousLineage
        document.appAccountToken = token?.description
        if isSubscription {
            document.webOrderLineItemId = StoreID.make(scene.lineage, String(scene.period.milliseconds), "line")
            document.subscriptionGroupIdentifier = scene.product.group
            document.expiresDate = scene.expiresAt.milliseconds
        }
        if let revocation = scene.revocation {
            document.revocationDate = revocation.date.milliseconds
            document.revocationReason = 0
            document.revocationType = revocation.type
            document.revocationPercentage = 100_000
        }
        if scene.isOffer {
            document.offerType = 2
            document.offerIdentifier = "paycast.welcome.back"
            document.offerDiscountType = "PAY_AS_YOU_GO"
        }
        return document
    }

    func renewal(_ scene: StoreScene) -> RenewalDocument {
        RenewalDocument(
            originalTransactionId: scene.lineage,
            productId: scene.product.id,
            autoRenewProductId: scene.nextProduct,
            autoRenewStatus: scene.autoRenews ? 1 : 0,
            expirationIntent: scene.expirationIntent,
            isInBillingRetryPeriod: scene.isInBillingRetry,
            gracePeriodExpiresDate: scene.graceUntil?.milliseconds,
            priceIncreaseStatus: scene.priceIncreaseStatus,
            renewalPrice: SimulatedProduct(id: scene.nextProduct, kind: .subscription).price,
            currency: scene.product.currency,
            renewalDate: scene.expiresAt.milliseconds,
            recentSubscriptionStartDate: scene.purchasedAt.milliseconds,
            appAccountToken: token?.description,
            appTransactionId: download,
            signedDate: now.milliseconds,
            environment: environment.rawValue
        )
    }
}
