internal import Domain
internal import Encoding
internal import FoundationEssentials

/// The payload of a signed token: a JSON string, or Rails' envelope around one if it has an expiry or a purpose.
struct StreamNamePayload {
    /// Nil when what was signed is no stream name.
    let stream: StreamName?
    /// As written: RFC 3339, if it is genuine.
    let expiry: String?

    init(_ payload: [UInt8]) {
        // Every connection parses a token, nearly always a bare string: that needs no decoder.
        if payload.first == UInt8(ascii: "\"") {
            stream = JSONLiteral.string(payload).flatMap { StreamName($0) }
            expiry = nil
            return
        }
        let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(payload)).rails
        expiry = envelope?.exp
        // Stream names are signed without a purpose, and Rails rejects a message with another purpose.
        guard let envelope, (envelope.pur ?? "").isEmpty else {
            stream = nil
            return
        }
        let data = envelope.data ?? envelope.message.flatMap { Base64.decode($0) }.flatMap { JSONLiteral.string($0) }
        stream = data.flatMap { StreamName($0) }
    }
}

/// Rails 7.1 puts the value into `data`; older versions put it into `message`, as JSON in Base64.
private struct Envelope: Decodable {
    struct Rails: Decodable {
        var data: String?
        var message: String?
        var exp: String?
        var pur: String?
    }

    var rails: Rails

    enum CodingKeys: String, CodingKey {
        case rails = "_rails"
    }
}
