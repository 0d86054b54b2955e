package com.android.billingclient.api;

import java.util.List;
import org.jetbrains.annotations.Nullable;

/**
 * A subscription has the plans `year`, with a trial for new customers that is taken unnamed, and `month`. Offers come first, and
 * those of which the developer is to decide are listed to everybody.
 */
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
            new SubscriptionOfferDetails("year", "winback"),
            new SubscriptionOfferDetails("year", "trial", "default"),
            new SubscriptionOfferDetails("year", null),
            new SubscriptionOfferDetails("month", "winback"),
            new SubscriptionOfferDetails("month", null)
        );
    }

    public static final class OneTimePurchaseOfferDetails {
        public String getFormattedPrice() { return "1 €"; }
    }

    public static final class SubscriptionOfferDetails {
        private final String plan;
        private final String offer;
        private final List<String> tags;

        SubscriptionOfferDetails(String plan, String offer, String... tags) {
            this.plan = plan;
            this.offer = offer;
            this.tags = List.of(tags);
        }

        public String getBasePlanId() { return plan; }
        @Nullable public String getOfferId() { return offer; }
        public List<String> getOfferTags() { return tags; }
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
