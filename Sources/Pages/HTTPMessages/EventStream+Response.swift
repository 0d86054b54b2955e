/// Whole answers instead of a stream: an EventSource is never ended for what a retry cures.
extension EventStream {
    /// Makes the page reload and thereby get a valid name.
    public static func expired(_ source: SourceElement, allowedOrigin: String?) -> Response {
        let body = Array("retry: \(expiredRetry)\n\n".utf8) + event(source.renewal, cursor: nil)
        return answer(body, allowedOrigin: allowedOrigin)
    }

    /// Says nothing, so that the browser asks again in a minute.
    public static func wait(allowedOrigin: String?) -> Response {
        answer(Array("retry: 60000\n\n".utf8), allowedOrigin: allowedOrigin)
    }

    /// Every place is taken, so the browser asks again after a random delay.
    public static func turnedAway(allowedOrigin: String?) -> Response {
        answer(Array("retry: \(Int.random(in: 5000...15_000))\n\n".utf8), allowedOrigin: allowedOrigin)
    }

    /// The browser reads it and connects again.
    private static func answer(_ body: [UInt8], allowedOrigin: String?) -> Response {
        var headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-store, no-transform")]
        if let allowedOrigin { headers.append(("Access-Control-Allow-Origin", allowedOrigin)) }
        return Response(status: 200, headers: headers, body: body)
    }
}
