package com.android.billingclient.api;

public final class InAppMessageParams {
    boolean isTransactional;

    public static Builder newBuilder() { return new Builder(); }

    public @interface InAppMessageCategoryId {
        int TRANSACTIONAL = 2;
    }

    public static final class Builder {
        private final InAppMessageParams params = new InAppMessageParams();

        public Builder addInAppMessageCategoryToShow(int category) {
            params.isTransactional = category == InAppMessageCategoryId.TRANSACTIONAL;
            return this;
        }

        public InAppMessageParams build() { return params; }
    }
}
