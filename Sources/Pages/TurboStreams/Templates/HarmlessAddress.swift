/// Decides whether a value may begin a URL: `javascript:` would be code.
enum HarmlessAddress {
    private static let schemes: Set<String> = ["http", "https", "mailto", "tel"]

    /// True for a relative URL and for one of `schemes`; a template that needs another scheme spells it out.
    static func accepts(_ address: String) -> Bool {
        guard let scheme = scheme(of: address) else { return true }
        return schemes.contains(scheme)
    }

    /// The scheme as a browser reads it: browsers drop leading controls and spaces, and line breaks and tabs anywhere
    /// (https://url.spec.whatwg.org/#concept-basic-url-parser).
    static func scheme(of address: String) -> String? {
        let visible = address.utf8.drop { $0 <= 32 }.filter { ![9, 10, 13].contains($0) }
        guard let end = visible.firstIndex(where: { ":/?#".utf8.contains($0) }), visible[end] == UInt8(ascii: ":")
        else { return nil }
        return String(decoding: visible[..<end], as: UTF8.self).lowercased()
    }
}
