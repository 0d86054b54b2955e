internal import HTTP1

/// Whether a request has a body to wait for, and whether it may send it.
extension RequestHeadCheck {
    /// 256 KiB: a genuine notification has about 19 kB.
    static let bodyLimit = 256 << 10

    /// Only the body of a `POST` or a `PUT` is collected, and only if its head states the length.
    func admitBody(after head: RequestHead) -> Admission {
        guard !head.hasTransferEncoding else { return .refuse(RequestHeadCheck.lengthRequired) }
        guard head.method == "POST" || head.method == "PUT" else { return .handle }
        guard let length = head.contentLength else { return .refuse(RequestHeadCheck.lengthRequired) }
        guard length <= RequestHeadCheck.bodyLimit else {
            return .refuse(.error(413, code: "body_too_large", message: "A body may have 256 KiB at the most."))
        }
        guard head.expectation != .unknown else {
            return .refuse(
                .error(417, code: "expectation_failed", message: "Of Expect, only 100-continue is understood.")
            )
        }
        return .collect(length: length)
    }

    private static let lengthRequired = Response.error(
        411,
        code: "length_required",
        message: "Send the body in one piece, with Content-Length."
    )
}
