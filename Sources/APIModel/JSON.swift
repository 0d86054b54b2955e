import FoundationEssentials

/// How the API's types become JSON and come back. The server only writes with it: it reads what others send with
/// `Encoding`, strictly.
public enum JSON {
    /// Sorts keys, so that equal values have equal bytes. Members are `snake_case`, as in the public interface.
    public static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .custom { $0[$0.count - 1].inSnakeCase }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, numbers and booleans cannot fail to encode.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    /// Returns nil if `json` is anything but a `Value`. Ignores members that `Value` does not have.
    public static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: Data(json))
    }
}

private struct SnakeCaseKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension CodingKey {
    /// What `convertToSnakeCase` makes of a name without two capitals in a row: Foundation's looks each letter up among
    /// Unicode's, which took a third of an answer's time.
    fileprivate var inSnakeCase: any CodingKey {
        let name = stringValue.utf8
        guard name.contains(where: isCapital) else { return self }
        let bytes = name.flatMap { isCapital($0) ? [UInt8(ascii: "_"), $0 | 32] : [$0] }
        return SnakeCaseKey(stringValue: String(decoding: bytes, as: UTF8.self))
    }
}

private func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }

/// A member that is `null` when its value is absent, so that a reader sees every member. A plain optional is left out.
@propertyWrapper public struct Nullable<Value: Codable & Sendable>: Sendable {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension Nullable: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Nullable: Equatable where Value: Equatable {}

// Synthesized conformances call these instead of the generic ones: the value then costs no nested container, text and a
// truth value no look at what they might be, and a missing member reads as null.

extension KeyedEncodingContainer {
    public mutating func encode(_ value: Nullable<String>, forKey key: Key) throws {
        if let text = value.wrappedValue { try encode(text, forKey: key) } else { try encodeNil(forKey: key) }
    }

    public mutating func encode(_ value: Nullable<Bool>, forKey key: Key) throws {
        if let truth = value.wrappedValue { try encode(truth, forKey: key) } else { try encodeNil(forKey: key) }
    }

    public mutating func encode<Value>(_ value: Nullable<Value>, forKey key: Key) throws {
        try encode(value.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    public func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
