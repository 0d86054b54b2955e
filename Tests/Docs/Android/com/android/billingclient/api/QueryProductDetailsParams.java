package com.android.billingclient.api;

import java.util.List;

public final class QueryProductDetailsParams {
    List<Product> products;

    public static Builder newBuilder() { return new Builder(); }

    public static final class Builder {
        private final QueryProductDetailsParams params = new QueryProductDetailsParams();

        public Builder setProductList(List<Product> products) {
            if (products.isEmpty()) throw new IllegalArgumentException("Product list cannot be empty.");
            params.products = products;
            return this;
        }

        public QueryProductDetailsParams build() { return params; }
    }

    public static final class Product {
        String id;
        String type;

        public static Builder newBuilder() { return new Builder(); }

        public static final class Builder {
            private final Product product = new Product();

            public Builder setProductId(String id) {
                product.id = id;
                return this;
            }

            public Builder setProductType(String type) {
                product.type = type;
                return this;
            }

            public Product build() { return product; }
        }
    }
}
