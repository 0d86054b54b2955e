package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

public final class ProductDetails {
    public String getProductId() { return null; }
    @Nullable public OneTimePurchaseOfferDetails getOneTimePurchaseOfferDetails() { return null; }
    @Nullable public List<SubscriptionOfferDetails> getSubscriptionOfferDetails() { return null; }

    public static final class OneTimePurchaseOfferDetails {
        public String getFormattedPrice() { return null; }
    }

    public static final class SubscriptionOfferDetails {
        public String getBasePlanId() { return null; }
        @Nullable public String getOfferId() { return null; }
        public String getOfferToken() { return null; }
        public PricingPhases getPricingPhases() { return null; }
    }

    public static final class PricingPhases {
        public List<PricingPhase> getPricingPhaseList() { return null; }
    }

    public static final class PricingPhase {
        public String getFormattedPrice() { return null; }
    }
}
