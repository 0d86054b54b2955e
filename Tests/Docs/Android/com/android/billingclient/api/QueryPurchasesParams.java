package com.android.billingclient.api;

public final class QueryPurchasesParams {
    String type;
    boolean includesSuspended;

    public static Builder newBuilder() { return new Builder(); }

    public static final class Builder {
        private final QueryPurchasesParams params = new QueryPurchasesParams();

        public Builder setProductType(String type) {
            params.type = type;
            return this;
        }

        public Builder includeSuspendedSubscriptions(boolean included) {
            params.includesSuspended = included;
            return this;
        }

        public QueryPurchasesParams build() { return params; }
    }
}
