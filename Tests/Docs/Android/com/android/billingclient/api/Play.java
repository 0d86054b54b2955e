package com.android.billingclient.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
}
