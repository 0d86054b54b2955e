package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

public interface PurchasesUpdatedListener {
    void onPurchasesUpdated(BillingResult result, @Nullable List<Purchase> purchases);
}
