internal import Foundation

/// What a signed stream name says of itself: `BASE64--SIGNATURE`, in the form of Rails' message verifier
/// (https://api.rubyonrails.org/classes/ActiveSupport/MessageVerifier.html). Only the server can check the signature.
struct SignedStreamName {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The name without its signature and expiry, such as `user:42:paywall`. What is not in this form is its own owner.
    var owner: String {
        if let name = payload.flatMap({ try? JSONDecoder().decode(String.self, from: $0) }) { return name }
        return envelope?._rails.data ?? text
    }

    /// Nil for a name that counts for ever.
    var expiry: Date? {
        envelope?._rails.exp.flatMap { try? Instant(text: $0).date }
    }

    /// How Rails writes a name that expires.
    private struct Envelope: Decodable {
        struct Content: Decodable {
            var data: String
            var exp: String?
        }
        var _rails: Content
    }

    private var envelope: Envelope? { payload.flatMap { try? JSONDecoder().decode(Envelope.self, from: $0) } }

    private var payload: Data? {
        Data(base64Encoded: SignedStreamName.padded(text.components(separatedBy: "--").first ?? text))
    }

    private static func padded(_ text: String) -> String {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    }
}
