package com.android.billingclient.api;

import java.util.List;

public final class QueryProductDetailsResult {
    private final List<ProductDetails> list;

    QueryProductDetailsResult(List<ProductDetails> list) { this.list = list; }
    public List<ProductDetails> getProductDetailsList() { return list; }
}
