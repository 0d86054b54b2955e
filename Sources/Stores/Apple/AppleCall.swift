internal import Domain
internal import Encoding

/// One request to the App Store Server API, without the host and the credentials.
struct AppleCall: Equatable {
    var method = "GET"
    var path: String
    var query: [String] = []
    var body: [UInt8]?

    /// The path and query that follow an environment's address.
    var target: String { query.isEmpty ? path : path + "?" + query.joined(separator: "&") }

    static func statuses(of id: String) -> AppleCall {
        AppleCall(path: "/inApps/v1/subscriptions/\(PercentEncoding.encode(id))")
    }

    static func transaction(_ id: String) -> AppleCall {
        AppleCall(path: "/inApps/v1/transactions/\(PercentEncoding.encode(id))")
    }

    /// Newest first, so that a page limit cuts off the oldest.
    static func history(of id: String, revision: String?) -> AppleCall {
        let revision = revision.map { ["revision=\(PercentEncoding.encode($0))"] } ?? []
        return AppleCall(
            path: "/inApps/v2/history/\(PercentEncoding.encode(id))",
            query: ["sort=DESCENDING"] + revision
        )
    }

    /// The body is the same for every page, as Apple requires.
    static func notifications(_ query: AppleNotificationQuery, after token: String?) -> AppleCall {
        let range = #""endDate":\#(query.end.milliseconds),"startDate":\#(query.start.milliseconds)"#
        let body = "{\(range)\(query.onlyFailures ? #","onlyFailures":true"# : "")}"
        return AppleCall(
            method: "POST",
            path: "/inApps/v1/notifications/history",
            query: token.map { ["paginationToken=\(PercentEncoding.encode($0))"] } ?? [],
            body: Array(body.utf8)
        )
    }

    static let test = AppleCall(method: "POST", path: "/inApps/v1/notifications/test")

    static func testStatus(_ token: String) -> AppleCall {
        AppleCall(path: "/inApps/v1/notifications/test/\(PercentEncoding.encode(token))")
    }

    static func setAccountToken(_ token: OrderToken, of id: String) -> AppleCall {
        AppleCall(
            method: "PUT",
            path: "/inApps/v1/transactions/\(PercentEncoding.encode(id))/appAccountToken",
            body: Array(#"{"appAccountToken":"\#(token.description)"}"#.utf8)
        )
    }

    static func finish(_ id: String) -> AppleCall {
        AppleCall(method: "POST", path: "/inApps/v1/transactions/\(PercentEncoding.encode(id))/finish")
    }
}
