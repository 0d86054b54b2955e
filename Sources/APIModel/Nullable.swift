/// A member that is `null` when its value is absent, so that a reader sees every member. A plain optional is left out.
@propertyWrapper public struct Nullable<Value: Codable & Sendable>: Sendable {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }
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

// Synthesized conformances call these two instead of the generic ones: the value then costs no nested container, and a
// missing member reads as null.

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ value: Nullable<Value>, forKey key: Key) throws {
        try encode(value.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
