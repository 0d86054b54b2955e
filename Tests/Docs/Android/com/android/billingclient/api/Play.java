package com.android.billingclient.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/** Google Play as a scenario wants it. */
public final class Play {
    /** Product types by id. */
    public static final Map<String, String> products = new HashMap<>();
    public static final List<Purchase> purchases = new ArrayList<>();
    /** What every query is answered. */
    public static int code = BillingClient.BillingResponseCode.OK;
    /** Shows the sheet, and returns what `launchBillingFlow` does. */
    public static Function<BillingFlowParams, Integer> sheet;
    /** What becomes of the messages that it has to show. */
    public static Supplier<InAppMessageResult> message = () -> new InAppMessageResult(0);
    /** The listener of the newest client. */
    public static PurchasesUpdatedListener listener;

    /**
     * What Google Play refuses before its sheet is up, 0 for nothing: a purchase of what is still owned, cancelled or not, is
     * taken for a change of that subscription, which has to carry its identifiers (RevenueCat/purchases-android#183,
     * flutter/flutter#161125).
     */
    static int refusal(BillingFlowParams params) {
        var update = params.product.replacement;
        if ((params.oldToken == null) != (update == null)) return BillingClient.BillingResponseCode.DEVELOPER_ERROR;
        var wanted = params.product.details.getProductId();
        var old = purchases.stream()
            .filter(purchase -> BillingClient.ProductType.SUBS.equals(products.get(purchase.product)))
            .filter(purchase -> update == null
                ? purchase.product.equals(wanted)
                : purchase.getPurchaseToken().equals(params.oldToken) && purchase.product.equals(update.oldProduct))
            .findFirst().orElse(null);
        if (old == null) return update == null ? 0 : BillingClient.BillingResponseCode.DEVELOPER_ERROR;
        if (update == null && old.renews) return BillingClient.BillingResponseCode.ITEM_ALREADY_OWNED;
        if (update != null && old.suspended) return BillingClient.BillingResponseCode.DEVELOPER_ERROR;
        return Objects.equals(old.account, params.account) ? 0 : BillingClient.BillingResponseCode.DEVELOPER_ERROR;
    }
}
