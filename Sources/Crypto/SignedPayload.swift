internal import Domain
internal import FoundationEssentials

/// What a signed token says: a JSON string, or Rails' envelope around one when it has an expiry or a purpose.
struct SignedPayload {
    private let data: String?
    private let expiry: String?

    init(_ payload: [UInt8]) {
        // Every connect comes through here, nearly always with a bare string: no decoder for that.
        if payload.first == UInt8(ascii: "\"") {
            data = JSONText.string(payload)
            expiry = nil
            return
        }
        let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(payload)).rails
        data = envelope?.data ?? envelope?.message.flatMap { Base64.decode($0) }.flatMap { JSONText.string($0) }
        expiry = envelope?.exp
    }

    func name(now: Instant) throws(StreamNameError) -> StreamName {
        if let expiry {
            guard let end = Instant(iso8601: expiry) else { throw .notAName }
            guard now < end else { throw .expired }
        }
        guard let name = data.flatMap({ StreamName($0) }) else { throw .notAName }
        return name
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
