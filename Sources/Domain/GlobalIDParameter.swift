internal import Encoding

/// The URI that a parameter encodes; nil when the parameter is not URL-safe Base64 (RFC 4648 §5) of a text.
func globalID(_ parameter: String) -> String? {
    Base64URL.decode(parameter).flatMap { String(validating: $0, as: UTF8.self) }
}

/// URL-safe Base64 without padding.
func globalIDParameter(_ uri: String) -> String {
    Base64URL.encode(Array(uri.utf8))
}
