package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

/** A subscription has the plans `year`, with a trial, and `month`. */
public final class ProductDetails {
    private final String id;
    private final boolean isSubscription;

    ProductDetails(String id, String type) {
        this.id = id;
        isSubscription = type.equals(BillingClient.ProductType.SUBS);
    }

    public String getProductId() { return id; }

    @Nullable public OneTimePurchaseOfferDetails getOneTimePurchaseOfferDetails() {
        return isSubscription ? null : new OneTimePurchaseOfferDetails();
    }

    @Nullable public List<SubscriptionOfferDetails> getSubscriptionOfferDetails() {
        if (!isSubscription) return null;
        return List.of(
            new SubscriptionOfferDetails("year", null),
            new SubscriptionOfferDetails("year", "trial"),
            new SubscriptionOfferDetails("month", null)
        );
    }

    public static final class OneTimePurchaseOfferDetails {
        public String getFormattedPrice() { return "1 €"; }
    }

    public static final class SubscriptionOfferDetails {
        private final String plan;
        private final String offer;

        SubscriptionOfferDetails(String plan, String offer) {
            this.plan = plan;
            this.offer = offer;
        }

        public String getBasePlanId() { return plan; }
        @Nullable public String getOfferId() { return offer; }
        public String getOfferToken() { return plan + "/" + offer; }
        public PricingPhases getPricingPhases() { return new PricingPhases(plan); }
    }

    public static final class PricingPhases {
        private final String plan;

        PricingPhases(String plan) { this.plan = plan; }

        public List<PricingPhase> getPricingPhaseList() {
            return List.of(new PricingPhase("0 €"), new PricingPhase(plan.equals("year") ? "80 €" : "10 €"));
        }
    }

    public static final class PricingPhase {
        private final String price;

        PricingPhase(String price) { this.price = price; }
        public String getFormattedPrice() { return price; }
    }
}
