package com.android.billingclient.api;

public final class BillingResult {
    public int getResponseCode() { return 0; }
    public String getDebugMessage() { return null; }
}
