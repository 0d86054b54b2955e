package com.android.billingclient.api;

public interface InAppMessageResponseListener {
    void onInAppMessageResponse(InAppMessageResult result);
}
