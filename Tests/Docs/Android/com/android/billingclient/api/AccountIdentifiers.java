package com.android.billingclient.api;

import org.jetbrains.annotations.Nullable;

public final class AccountIdentifiers {
    private final String id;

    AccountIdentifiers(String id) { this.id = id; }
    @Nullable public String getObfuscatedAccountId() { return id; }
}
