import CCurl

/// A transfer that has failed, as libcurl tells it. Decides what that means. Pure.
struct CurlFailure {
    var code: CURLcode
    /// libcurl's own words. They may quote the peer, so only what is libcurl's or OpenSSL's is shown of them.
    var words: String
    /// OpenSSL's verdict on the certificate (`CURLINFO_SSL_VERIFYRESULT`). libcurl compares the name by itself, before it asks
    /// for the verdict: until then it is 1.
    var verification = 0
    /// Whether the whole head of an answer came.
    var hasHead = false
    /// The file of authorities that was to be read; nil for the system's.
    var authorityFile: String?

    func error(at origin: String) -> HTTPClientError {
        if let reason = reasonOfTLS { return .noTLS(origin, reason: reason) }
        return switch code {
        case CURLE_COULDNT_CONNECT: .refused(origin)
        case CURLE_COULDNT_RESOLVE_HOST: .unknownHost(origin)
        case CURLE_COULDNT_RESOLVE_PROXY: .proxy(origin, reason: "no such host")
        case CURLE_RECV_ERROR where words.hasPrefix("CONNECT "): .proxy(origin, reason: words)
        case CURLE_OPERATION_TIMEDOUT: .timedOut(origin)
        case CURLE_PEER_FAILED_VERIFICATION: .certificate(origin, flaw)
        case CURLE_SSL_CACERT_BADFILE: .noAuthorities(authorityFile ?? "the system's file of authorities")
        case CURLE_GOT_NOTHING: .noAnswer(origin)
        // libcurl does not report an error when an answer ends in the middle of its head.
        case CURLE_OK, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR: .brokenOff(origin)
        case CURLE_RECV_ERROR: words.hasSuffix("in chunked-encoding") ? .notHTTP(origin) : .brokenOff(origin)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .notHTTP(origin)
        // Too much for us, or one line of it for libcurl, which has no memory then.
        case CURLE_WRITE_ERROR where !hasHead, CURLE_OUT_OF_MEMORY where !hasHead: .headTooLarge(origin)
        default: .failed(origin, code: Int(code.rawValue), reason: String(cString: curl_easy_strerror(code)))
        }
    }

    private var flaw: CertificateFlaw {
        guard verification > 1 else { return .otherName }
        return CertificateFlaw(verification, words: words.split(separator: ": ").last.map { String($0) } ?? "refused")
    }

    /// OpenSSL's reason for a connection without TLS, such as `wrong version number`; nil if it has only ended.
    private var reasonOfTLS: String? {
        let codes = [CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR]
        guard codes.contains(code), let mark = words.firstRange(of: "SSL routines::") else { return nil }
        let reason = String(words[mark.upperBound...].prefix { $0 != "," })
        return reason == "unexpected eof while reading" ? nil : reason
    }
}
