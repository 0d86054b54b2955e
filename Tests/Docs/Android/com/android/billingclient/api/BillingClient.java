// The part of Google Play Billing 8 that the documentation's Kotlin uses, after
// https://developer.android.com/reference/com/android/billingclient/api/package-summary.
package com.android.billingclient.api;

import android.app.Activity;
import android.content.Context;

public abstract class BillingClient {
    public @interface BillingResponseCode {
        int OK = 0;
        int USER_CANCELED = 1;
        int SERVICE_UNAVAILABLE = 2;
        int ITEM_ALREADY_OWNED = 7;
        int NETWORK_ERROR = 12;
        int SERVICE_DISCONNECTED = -1;
    }

    public @interface ProductType {
        String INAPP = "inapp";
        String SUBS = "subs";
    }

    public static Builder newBuilder(Context context) { return null; }

    public abstract void startConnection(BillingClientStateListener listener);
    public abstract void queryProductDetailsAsync(QueryProductDetailsParams params, ProductDetailsResponseListener listener);
    public abstract BillingResult launchBillingFlow(Activity activity, BillingFlowParams params);
    public abstract void queryPurchasesAsync(QueryPurchasesParams params, PurchasesResponseListener listener);

    public static final class Builder {
        public Builder setListener(PurchasesUpdatedListener listener) { return this; }
        public Builder enablePendingPurchases(PendingPurchasesParams params) { return this; }
        public Builder enableAutoServiceReconnection() { return this; }
        public BillingClient build() { return null; }
    }
}
