package com.android.billingclient.api;

public final class QueryPurchasesParams {
    public static Builder newBuilder() { return null; }

    public static final class Builder {
        public Builder setProductType(String type) { return this; }
        public QueryPurchasesParams build() { return null; }
    }
}
