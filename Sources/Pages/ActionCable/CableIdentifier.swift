import Encoding

/// What a client of the extended protocol has seen: `{"since": Unix seconds, "streams": {ID: {"offset", "epoch"}}}`.
public struct CableHistory: Sendable, Equatable {
    /// Seconds since 1970.
    public var since: Int64?
    /// The cursor of the last message that arrived on a stream, as the client wrote it. Keyed by the bytes of a stream's
    /// name: as strings, two names that Unicode treats as equal would collide.
    var places: [[UInt8]: String] = [:]

    public func place(in stream: String) -> String? { places[Array(stream.utf8)] }
}

extension CableHistory {
    init?(_ node: JSONNode?) {
        guard let node, node.isObject else { return nil }
        since = node["since"]?.integer
        guard case .object(let streams) = node["streams"] else { return }
        for stream in streams {
            guard let name = stream.name, let epoch = stream.value["epoch"]?.text,
                let offset = stream.value["offset"]?.integer
            else { continue }
            places[Array(name.utf8)] = "\(epoch)-\(offset)"
        }
    }
}

/// The text by which a client names a subscription, repeated in every answer.
///
/// It is JSON, but opaque: stock clients write its members in the order of insertion, AnyCable's clients sort them. We
/// parse a copy and never write the JSON again.
public struct CableIdentifier: Hashable, Sendable {
    /// The identifier as a JSON string literal, with its quotes, as it appears in each message to the client.
    public let literal: [UInt8]

    /// At most 4,096 bytes. A signed name alone may have as many, but real ones have 200.
    static let limit = 4096

    public init?(_ text: String) {
        guard text.utf8.count <= CableIdentifier.limit else { return nil }
        var literal: [UInt8] = []
        literal.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        JSONLiteral.append(Array(text.utf8), to: &literal)
        self.literal = literal
    }

    public var text: String { JSONLiteral.string(literal) ?? "" }

    /// The parameters of the subscription; nil unless the text is a JSON object with a `signed_stream_name`.
    ///
    /// The name proves the right to the stream, whichever channel class the client names: `Turbo::StreamsChannel`, a
    /// subclass in the app, or AnyCable's `$pubsub`.
    public var parameters: CableParameters? {
        guard let node = JSONNode(text), let name = node["signed_stream_name"]?.text else { return nil }
        return CableParameters(signedStreamName: name, since: node["since"]?.text)
    }
}

/// The stream and the options that a subscription asks for.
public struct CableParameters: Sendable, Equatable {
    public var signedStreamName: String
    /// The page's `data-since`: the cursor at which it was rendered.
    public var since: String?
}
