internal import Domain
internal import FoundationEssentials
internal import JSONText

/// What a signed token says: a JSON string, or Rails' envelope around one when it has an expiry or a purpose.
struct SignedPayload {
    private let data: String?
    private let expiry: String?

    init(_ payload: [UInt8]) {
        // Every connect comes through here, nearly always with a bare string: no decoder for that.
        if payload.first == UInt8(ascii: "\"") {
            data = JSONLiteral.string(payload)
            expiry = nil
            return
        }
        let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(payload)).rails
        data = envelope?.data ?? envelope?.message.flatMap { Base64.decode($0) }.flatMap { JSONLiteral.string($0) }
        expiry = envelope?.exp
    }

    func name(now: Instant) throws(StreamNameError) -> SignedName {
        var end: Instant?
        if let expiry {
            guard let instant = Instant(iso8601: expiry) else { throw .notAName }
            guard now < instant else { throw .expired }
            end = instant
        }
        guard let stream = data.flatMap({ StreamName($0) }) else { throw .notAName }
        return SignedName(stream: stream, expires: end)
    }
}

/// Rails 7.1 puts the value into `data`; before, its Base64 JSON was in `message`.
private struct Envelope: Decodable {
    struct Rails: Decodable {
        var data: String?
        var message: String?
        var exp: String?
    }

    var rails: Rails

    enum CodingKeys: String, CodingKey {
        case rails = "_rails"
    }
}
