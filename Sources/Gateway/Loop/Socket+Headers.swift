internal import CWebSockets

extension Socket {
    /// Reads the request's head while lws still holds it: inside the HTTP and the filter callbacks only.
    func requestHead() -> RequestHead? {
        guard let (method, path) = requestLine() else { return nil }
        return RequestHead(
            method: method,
            path: path,
            query: Query(arguments()),
            host: text(WSI_TOKEN_HOST),
            origin: text(WSI_TOKEN_ORIGIN),
            authorization: text(WSI_TOKEN_HTTP_AUTHORIZATION),
            signature: custom("stripe-signature:") ?? custom("x-purchasekit-signature:"),
            contentLength: text(WSI_TOKEN_HTTP_CONTENT_LENGTH),
            ifNoneMatch: text(WSI_TOKEN_HTTP_IF_NONE_MATCH),
            lastEventID: custom("last-event-id:"),
            isChunked: has(WSI_TOKEN_HTTP_TRANSFER_ENCODING),
            isUpgrade: text(WSI_TOKEN_UPGRADE)?.lowercased() == "websocket",
            isLast: text(WSI_TOKEN_CONNECTION)?.lowercased() == "close" || text(WSI_TOKEN_HTTP) == "HTTP/1.0"
        )
    }

    /// What proxies wrote; read for a trusted one only.
    func forwardedHeaders() -> ForwardedHeaders {
        ForwardedHeaders(
            addresses: text(WSI_TOKEN_X_FORWARDED_FOR),
            scheme: custom("x-forwarded-proto:"),
            host: custom("x-forwarded-host:")
        )
    }

    /// Some proxy passed this request on, whether it is trusted or not.
    var isForwarded: Bool {
        has(WSI_TOKEN_X_FORWARDED_FOR) || has(WSI_TOKEN_HTTP_X_REAL_IP) || has(WSI_TOKEN_HTTP_VIA)
            || custom("forwarded:") != nil || custom("x-forwarded-proto:") != nil || custom("x-forwarded-host:") != nil
    }

    /// How AnyCable's native clients name the session to resume.
    var sessionToRestore: String? { custom("x-anycable-restore-sid:") }

    private static let methods: [(token: lws_token_indexes, name: String)] = [
        (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_POST_URI, "POST"), (WSI_TOKEN_HEAD_URI, "HEAD"),
        (WSI_TOKEN_PUT_URI, "PUT"), (WSI_TOKEN_PATCH_URI, "PATCH"), (WSI_TOKEN_DELETE_URI, "DELETE"),
        (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
    ]

    private func requestLine() -> (method: String, path: String)? {
        for (token, name) in Socket.methods {
            if let path = text(token) { return (name, path) }
        }
        return nil
    }

    /// At most 64: lws keeps no more pieces of a head anyway.
    private func arguments() -> [String] {
        (0..<64).prefix { lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, Int32($0)) > 0 }.compactMap { index in
            let length = Int(lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, Int32(index)))
            return copy(length) { lws_hdr_copy_fragment(wsi, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, Int32(index)) }
        }
    }

    private func has(_ token: lws_token_indexes) -> Bool { lws_hdr_total_length(wsi, token) > 0 }

    private func text(_ token: lws_token_indexes) -> String? {
        let length = Int(lws_hdr_total_length(wsi, token))
        guard length > 0 else { return nil }
        return copy(length) { lws_hdr_copy(wsi, $0, $1, token) }
    }

    private func custom(_ name: StaticString) -> String? {
        name.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { name in
                let length = Int(lws_hdr_custom_length(wsi, name.baseAddress, Int32(name.count)))
                guard length > 0 else { return nil }
                return copy(length) { lws_hdr_custom_copy(wsi, $0, $1, name.baseAddress, Int32(name.count)) }
            }
        }
    }

    private func copy(_ length: Int, _ read: (UnsafeMutablePointer<CChar>?, Int32) -> Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
            guard read(buffer.baseAddress, Int32(length + 1)) >= 0 else { return nil }
            return buffer.withMemoryRebound(to: UInt8.self) { String(decoding: $0.prefix(length), as: UTF8.self) }
        }
    }
}
