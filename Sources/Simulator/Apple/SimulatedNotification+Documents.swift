internal import Domain
internal import Encoding

extension SimulatedNotification {
    /// `appTransactionId`: one for each account's download of the app.
    var download: String { StoreID.make(subscription.lineage, "download") }

    var data: WireJSON {
        [
            "appAppleId": .number(appID), "bundleId": .text(bundleID), "bundleVersion": "1",
            "environment": .text(environment.rawValue),
        ]
    }

    var summary: WireJSON {
        [
            "environment": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "productId": .text(subscription.product), "requestIdentifier": .text(OrderToken.random().description),
            "storefrontCountryCodes": ["USA", "DEU", "JPN"], "succeededCount": 5, "failedCount": 2,
        ]
    }

    /// Only the prefix marks a Sandbox token.
    var purchaseToken: WireJSON {
        let prefix = environment == .sandbox ? "SANDBOX_" : ""
        return [
            "externalPurchaseId": .text(prefix + OrderToken.random().description),
            "tokenCreationDate": .number(now.milliseconds), "appAppleId": .number(appID),
            "bundleId": .text(bundleID), "tokenType": "ACQUISITION",
        ]
    }

    /// What an account has of an app. Its receipt type is the environment.
    var appTransaction: WireJSON {
        [
            "receiptType": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "applicationVersion": "1", "originalApplicationVersion": "1",
            "receiptCreationDate": .number(now.milliseconds),
            "originalPurchaseDate": .number((now - .days(30)).milliseconds), "appTransactionId": .text(download),
            "originalPlatform": "iOS",
        ]
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
