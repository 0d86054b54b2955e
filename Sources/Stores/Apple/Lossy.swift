/// A member that opens and ends nothing by itself: one that does not fit counts as not stated, because a genuine
/// notification that is refused for it is lost.
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
    /// What synthesized decoding calls: without it an absent member would be an error.
    func decode<Value: Decodable>(_ type: Lossy<Value>.Type, forKey key: Key) throws -> Lossy<Value> {
        try decodeIfPresent(type, forKey: key) ?? Lossy(wrappedValue: nil)
    }
}
