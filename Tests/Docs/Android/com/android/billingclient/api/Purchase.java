package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

public class Purchase {
    public @interface PurchaseState {
        int UNSPECIFIED_STATE = 0;
        int PURCHASED = 1;
        int PENDING = 2;
    }

    public List<String> getProducts() { return null; }
    public String getPurchaseToken() { return null; }
    public int getPurchaseState() { return 0; }
    public boolean isAcknowledged() { return false; }
    @Nullable public String getOrderId() { return null; }
    @Nullable public AccountIdentifiers getAccountIdentifiers() { return null; }
}
