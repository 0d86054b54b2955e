public import Domain
internal import Encoding
public import StoreInterface

extension GooglePlayAPI {
    /// One page of the purchases that Google recorded as voided from `start` to `end`, or until now without an `end`,
    /// within the last 30 days (https://developers.google.com/android-publisher/voided-purchases). `token` is the last
    /// page's `next`, for the same span. A failure says nothing about calls that read purchases, so the witness does
    /// not hear of it: the caller reports it.
    public func voidedPurchases(
        of package: String,
        from start: Instant,
        to end: Instant?,
        after token: String? = nil,
        now: Instant
    ) throws(StoreAPIError) -> GoogleVoidedPurchase.Page {
        // `type=1` includes subscriptions.
        var path = "purchases/voidedpurchases?type=1&includeQuantityBasedPartialRefund=true"
        path += "&maxResults=\(GoogleVoidedPurchase.pageSize)&startTime=\(start.milliseconds)"
        if let end { path += "&endTime=\(end.milliseconds)" }
        if let token { path += "&token=\(PercentEncoding.encode(token))" }
        guard let body = try exchange("GET", path: path, of: package, now: now) else {
            throw .unavailable(reason: "it no longer knows the next page of the list")
        }
        guard let page = GoogleVoidedPurchase.page(body) else {
            throw .unreadable(reason: "it is not a list of voided purchases")
        }
        return page
    }
}
