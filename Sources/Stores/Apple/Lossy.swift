/// A member that by itself neither opens nor ends access. A value that does not fit counts as absent, because refusing
/// a genuine notification would lose it.
@propertyWrapper struct Lossy<Value: Decodable>: Decodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    init(from decoder: any Decoder) throws {
        wrappedValue = try? decoder.singleValueContainer().decode(Value.self)
    }
}

extension KeyedDecodingContainer {
    /// Synthesized decoding calls this; without it, an absent member would be an error.
    func decode<Value: Decodable>(_ type: Lossy<Value>.Type, forKey key: Key) throws -> Lossy<Value> {
        try decodeIfPresent(type, forKey: key) ?? Lossy(wrappedValue: nil)
    }
}
