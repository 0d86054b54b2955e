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

    func transaction(_ model: AppStorePurchaseModel) -> TransactionDocument {
        let isSubscription = model.product.kind == .subscription
        var document = TransactionDocument(
            transactionId: isSubscription
                ? StoreID.make(model.lineage, String(model.period.milliseconds)) : model.lineage,
            originalTransactionId: model.lineage,
            appTransactionId: download,
            bundleId: bundleID,
            productId: model.product.id,
            purchaseDate: model.purchasedAt.milliseconds,
            originalPurchaseDate: model.purchasedAt.milliseconds,
            type: model.product.appleType,
            inAppOwnershipType: model.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED",
            signedDate: now.milliseconds,
            environment: environment.rawValue,
            transactionReason: model.reason,
            price: model.product.price,
            currency: model.product.currency
        )
        document.previousOriginalTransactionId = model.previousLineage
        document.appAccountToken = token?.description
        if isSubscription {
            document.webOrderLineItemId = StoreID.make(model.lineage, String(model.period.milliseconds), "line")
            document.subscriptionGroupIdentifier = model.product.group
            document.expiresDate = model.expiresAt.milliseconds
        }
        if let revocation = model.revocation {
            document.revocationDate = revocation.date.milliseconds
            document.revocationReason = 0
            document.revocationType = revocation.type
            document.revocationPercentage = 100_000
        }
        if model.isOffer {
            document.offerType = 2
            document.offerIdentifier = "paycast.welcome.back"
            document.offerDiscountType = "PAY_AS_YOU_GO"
        }
        return document
    }

    func renewal(_ model: AppStorePurchaseModel) -> RenewalDocument {
        RenewalDocument(
            originalTransactionId: model.lineage,
            productId: model.product.id,
            autoRenewProductId: model.nextProduct,
            autoRenewStatus: model.autoRenews ? 1 : 0,
            expirationIntent: model.expirationIntent,
            isInBillingRetryPeriod: model.isInBillingRetry,
            gracePeriodExpiresDate: model.graceUntil?.milliseconds,
            priceIncreaseStatus: model.priceIncreaseStatus,
            renewalPrice: SimulatedProduct(id: model.nextProduct, kind: .subscription).price,
            currency: model.product.currency,
            renewalDate: model.expiresAt.milliseconds,
            recentSubscriptionStartDate: model.purchasedAt.milliseconds,
            appAccountToken: token?.description,
            appTransactionId: download,
            signedDate: now.milliseconds,
            environment: environment.rawValue
        )
    }
}
