package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

public final class BillingFlowParams {
    public ProductDetailsParams product;
    @Nullable public String account;
    /** Of the subscription that is replaced. */
    @Nullable public String oldToken;

    public static Builder newBuilder() { return new Builder(); }

    public static final class Builder {
        private final BillingFlowParams params = new BillingFlowParams();

        public Builder setProductDetailsParamsList(List<ProductDetailsParams> products) {
            params.product = products.get(0);
            return this;
        }

        public Builder setObfuscatedAccountId(String id) {
            params.account = id;
            return this;
        }

        public Builder setSubscriptionUpdateParams(SubscriptionUpdateParams update) {
            params.oldToken = update.oldToken;
            return this;
        }

        public BillingFlowParams build() { return params; }
    }

    public static final class SubscriptionUpdateParams {
        String oldToken;

        public static Builder newBuilder() { return new Builder(); }

        public static final class Builder {
            private final SubscriptionUpdateParams params = new SubscriptionUpdateParams();

            public Builder setOldPurchaseToken(String token) {
                params.oldToken = token;
                return this;
            }

            public SubscriptionUpdateParams build() { return params; }
        }
    }

    public static final class ProductDetailsParams {
        public ProductDetails details;
        public String offerToken;
        @Nullable public SubscriptionProductReplacementParams replacement;

        public static Builder newBuilder() { return new Builder(); }

        public static final class Builder {
            private final ProductDetailsParams params = new ProductDetailsParams();

            public Builder setProductDetails(ProductDetails details) {
                params.details = details;
                return this;
            }

            public Builder setOfferToken(String token) {
                params.offerToken = token;
                return this;
            }

            public Builder setSubscriptionProductReplacementParams(SubscriptionProductReplacementParams replacement) {
                params.replacement = replacement;
                return this;
            }

            public ProductDetailsParams build() { return params; }
        }

        public static class SubscriptionProductReplacementParams {
            public String oldProduct;
            public int mode;

            public static Builder newBuilder() { return new Builder(); }

            public @interface ReplacementMode {
                int WITH_TIME_PRORATION = 1;
            }

            public static class Builder {
                private final SubscriptionProductReplacementParams params = new SubscriptionProductReplacementParams();

                public Builder setOldProductId(String id) {
                    params.oldProduct = id;
                    return this;
                }

                public Builder setReplacementMode(int mode) {
                    params.mode = mode;
                    return this;
                }

                public SubscriptionProductReplacementParams build() { return params; }
            }
        }
    }
}
