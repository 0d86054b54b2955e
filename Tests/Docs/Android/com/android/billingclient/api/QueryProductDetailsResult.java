package com.android.billingclient.api;

import java.util.List;

public final class QueryProductDetailsResult {
    public List<ProductDetails> getProductDetailsList() { return null; }
}
