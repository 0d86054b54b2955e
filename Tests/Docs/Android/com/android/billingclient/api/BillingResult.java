package com.android.billingclient.api;

public final class BillingResult {
    private final int code;

    public BillingResult(int code) { this.code = code; }
    public int getResponseCode() { return code; }
}
