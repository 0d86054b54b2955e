import Domain
import Encoding

/// The members of Apple's documents and answers. One of another type than Apple documents throws; one that is absent or
/// `null` is nil.
extension StoreObject {
    /// The range of ECMAScript's Date: 100 million days around 1970.
    private static let latest = 8.64e15

    /// Any text. Whoever stores or shows it checks that it may be. An empty one says nothing, and counts as absent.
    func string(_ name: String) throws(VerificationError) -> String? {
        try read(name) { node in node.text }.flatMap { $0.isEmpty ? nil : $0 }
    }

    func statedString(_ name: String) throws(VerificationError) -> String { try stated(string(name)) }

    func checkedNumber(_ name: String) throws(VerificationError) -> Double? {
        try read(name) { _ in number(name) }
    }

    /// May be written with a fraction of zero.
    func wholeNumber(_ name: String) throws(VerificationError) -> Int64? {
        if let integer = self[name]?.integer { return integer }
        guard let number = try checkedNumber(name) else { return nil }
        return try stated(Int64(exactly: number))
    }

    /// Milliseconds since 1970, as Apple writes them. Xcode's may be fractional; text is not accepted.
    func appleDate(_ name: String) throws(VerificationError) -> Instant? {
        guard let milliseconds = try checkedNumber(name)?.rounded(.down) else { return nil }
        guard abs(milliseconds) <= StoreObject.latest else { throw .malformed(.invalidPayload) }
        return Instant(milliseconds: Int64(milliseconds))
    }

    func statedAppleDate(_ name: String) throws(VerificationError) -> Instant { try stated(appleDate(name)) }

    func boolean(_ name: String) throws(VerificationError) -> Bool? {
        try read(name) { node in node.boolean }
    }

    /// An array of texts.
    func strings(_ name: String) throws(VerificationError) -> [String]? {
        try read(name) { (node) -> [String]? in
            guard case .array(let items) = node else { return nil }
            let texts = items.compactMap(\.text)
            return texts.count == items.count ? texts : nil
        }
    }

    /// An array of objects; empty if it is absent.
    func parts(_ name: String) throws(VerificationError) -> [StoreObject] {
        let parts = try read(name) { (node) -> [StoreObject]? in
            guard case .array(let items) = node else { return nil }
            let parts = items.compactMap { StoreObject($0) }
            return parts.count == items.count ? parts : nil
        }
        return parts ?? []
    }

    func part(_ name: String) throws(VerificationError) -> StoreObject? {
        try read(name) { node in StoreObject(node) }
    }

    private func read<Value>(_ name: String, as value: (JSONNode) -> Value?) throws(VerificationError) -> Value? {
        guard let node = self[name], !node.isNull else { return nil }
        return try stated(value(node))
    }

    private func stated<Value>(_ value: Value?) throws(VerificationError) -> Value {
        guard let value else { throw .malformed(.invalidPayload) }
        return value
    }
}
