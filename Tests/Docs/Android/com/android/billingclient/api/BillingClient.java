// The part of Google Play Billing 9 that the documentation's Kotlin uses, after
// https://developer.android.com/reference/com/android/billingclient/api/package-summary, with `Play` behind it.
package com.android.billingclient.api;

import android.app.Activity;
import android.content.Context;
import java.util.stream.Collectors;

public class BillingClient {
    public @interface BillingResponseCode {
        int SERVICE_DISCONNECTED = -1;
        int OK = 0;
        int USER_CANCELED = 1;
        int SERVICE_UNAVAILABLE = 2;
        int BILLING_UNAVAILABLE = 3;
        int ITEM_UNAVAILABLE = 4;
        int DEVELOPER_ERROR = 5;
        int ITEM_ALREADY_OWNED = 7;
        int NETWORK_ERROR = 12;
    }

    public @interface ProductType {
        String INAPP = "inapp";
        String SUBS = "subs";
    }

    public static Builder newBuilder(Context context) { return new Builder(); }

    public void startConnection(BillingClientStateListener listener) {
        listener.onBillingSetupFinished(new BillingResult(Play.code));
    }

    public void queryProductDetailsAsync(QueryProductDetailsParams params, ProductDetailsResponseListener listener) {
        var found = params.products.stream()
            .filter(product -> product.type.equals(Play.products.get(product.id)))
            .map(product -> new ProductDetails(product.id, product.type))
            .collect(Collectors.toList());
        listener.onProductDetailsResponse(new BillingResult(Play.code), new QueryProductDetailsResult(found));
    }

    public BillingResult launchBillingFlow(Activity activity, BillingFlowParams params) {
        var refusal = Play.refusal(params);
        return new BillingResult(refusal == 0 ? Play.sheet.apply(params) : refusal);
    }

    public BillingResult showInAppMessages(
        Activity activity, InAppMessageParams params, InAppMessageResponseListener listener
    ) {
        if (params.isTransactional) listener.onInAppMessageResponse(Play.message.get());
        return new BillingResult(Play.code);
    }

    public void queryPurchasesAsync(QueryPurchasesParams params, PurchasesResponseListener listener) {
        var found = Play.purchases.stream()
            .filter(purchase -> params.type.equals(Play.products.get(purchase.product)))
            .filter(purchase -> params.includesSuspended || !purchase.suspended)
            .collect(Collectors.toList());
        listener.onQueryPurchasesResponse(new BillingResult(Play.code), found);
    }

    public static final class Builder {
        public Builder setListener(PurchasesUpdatedListener listener) {
            Play.listener = listener;
            return this;
        }

        public Builder enablePendingPurchases(PendingPurchasesParams params) { return this; }
        public Builder enableAutoServiceReconnection() { return this; }
        public BillingClient build() { return new BillingClient(); }
    }
}
