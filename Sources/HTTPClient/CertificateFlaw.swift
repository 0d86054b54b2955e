/// Why the certificate of a server is not trusted, and what to do.
public enum CertificateFlaw: Equatable, Sendable, CustomStringConvertible {
    case unknownAuthority
    case otherName
    case expired
    case notYetValid
    /// In OpenSSL's words.
    case other(String)

    /// `code` is OpenSSL's verdict (X509_STORE_CTX_get_error(3)), and `words` are what OpenSSL calls it.
    public init(_ code: Int, words: @autoclosure () -> String) {
        self =
            switch code {
            case 9: .notYetValid
            case 10: .expired
            case 62, 64: .otherName
            // An issuer is missing (2, 20, 21), or the last one signs itself (18, 19) or is not trusted (27).
            case 2, 18, 19, 20, 21, 27: .unknownAuthority
            default: .other(words())
            }
    }

    public var description: String {
        switch self {
        case .unknownAuthority:
            "it comes from no authority that this machine knows; name a private one in SSL_CERT_FILE, or have the server send "
                + "its whole chain"
        case .otherName: "it is for another name; use one that it lists"
        case .expired: "it, or another one of its chain, has expired, or this machine's clock is wrong"
        case .notYetValid: "it is not valid yet, or this machine's clock is wrong"
        case .other(let words): words
        }
    }
}
