package com.android.billingclient.api;

public final class InAppMessageResult {
    private final int code;

    public InAppMessageResult(int code) { this.code = code; }
    public int getResponseCode() { return code; }

    public @interface InAppMessageResponseCode {
        int SUBSCRIPTION_STATUS_UPDATED = 1;
    }
}
