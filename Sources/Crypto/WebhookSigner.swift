import Encoding

/// Signs messages by the Standard Webhooks specification, and verifies them
/// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
///
/// A message has an id that stays the same for all attempts, the time of the attempt in Unix seconds, and a body. The signature
/// is over all three.
public struct WebhookSigner: Sendable {
    public static let idHeader = "webhook-id"
    public static let timeHeader = "webhook-timestamp"
    public static let signatureHeader = "webhook-signature"
    /// How old, and how far in the future, a message may be that is believed; in seconds.
    public static let tolerance: Int64 = 300

    private static let version = "v1,"

    private let keys: [HMACKey]

    public init(_ secrets: [WebhookSecret]) { keys = secrets.map { HMACKey($0.bytes) } }

    /// The three headers. While secrets are rotated, there is a signature with each.
    public func headers(id: String, at seconds: Int64, body: [UInt8]) -> [(String, String)] {
        let signatures = signatures(id: id, time: "\(seconds)", body: body)
        return [
            (WebhookSigner.idHeader, id), (WebhookSigner.timeHeader, "\(seconds)"),
            (WebhookSigner.signatureHeader, signatures.joined(separator: " ")),
        ]
    }

    /// True if one of the signatures in the header is of one of the secrets. The time is left to the caller.
    public func verifies(_ header: String, id: String, time: String, body: [UInt8]) -> Bool {
        let given = header.split(separator: " ").map { Array($0.utf8) }
        return signatures(id: id, time: time, body: body).reduce(false) { isFound, signature in
            given.reduce(isFound) { constantTimeCompare(Array(signature.utf8), with: $1[...]) || $0 }
        }
    }

    private func signatures(id: String, time: String, body: [UInt8]) -> [String] {
        let content = Array("\(id).\(time).".utf8) + body
        return keys.map { WebhookSigner.version + Base64.encode($0.authenticate(content[...])) }
    }
}

/// A secret that a webhook's sender and receiver share: `whsec_` and the Base64 of 24 to 64 random bytes.
public struct WebhookSecret: Sendable, Equatable {
    public static let prefix = "whsec_"

    let bytes: [UInt8]

    /// Nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix(WebhookSecret.prefix),
            let bytes = Base64.decode(String(text.dropFirst(WebhookSecret.prefix.count))),
            (24...64).contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }
}
