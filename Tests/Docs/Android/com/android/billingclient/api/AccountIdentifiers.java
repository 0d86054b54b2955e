package com.android.billingclient.api;

import org.jetbrains.annotations.Nullable;

public final class AccountIdentifiers {
    @Nullable public String getObfuscatedAccountId() { return null; }
}
