package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

public class Purchase {
    public @interface PurchaseState {
        int UNSPECIFIED_STATE = 0;
        int PURCHASED = 1;
        int PENDING = 2;
    }

    public final String product;
    public int state = PurchaseState.PURCHASED;
    public boolean acknowledged = false;
    public boolean renews = true;
    public boolean suspended = false;
    private final String token;
    final String account;

    public Purchase(String product, String token, @Nullable String account) {
        this.product = product;
        this.token = token;
        this.account = account;
    }

    public List<String> getProducts() { return List.of(product); }
    public String getPurchaseToken() { return token; }
    public int getPurchaseState() { return state; }
    public boolean isAcknowledged() { return acknowledged; }
    public boolean isAutoRenewing() { return renews; }
    public boolean isSuspended() { return suspended; }
    @Nullable public AccountIdentifiers getAccountIdentifiers() { return new AccountIdentifiers(account); }
}
