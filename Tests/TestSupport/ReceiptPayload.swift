/// What an App Store receipt carries, in DER, for tests to bend.
public struct ReceiptPayload: Sendable {
    public enum Value: Sendable {
        case text(String)
        /// IA5, as dates are written.
        case date(String)
        case integer(Int64)
        case raw([UInt8])
    }

    public struct Attribute: Sendable {
        public var type: Int64
        public var value: Value

        public init(_ type: Int64, value: Value) {
            self.type = type
            self.value = value
        }
    }

    public var attributes: [Attribute]
    /// In-app purchases: each one's attributes.
    public var purchases: [[Attribute]]

    /// One subscription's first period, bought and written down at `createdAt`.
    public init(bundle: String, createdAt: String, expiresAt: String, type: String = "ProductionSandbox") {
        attributes = [
            Attribute(0, value: .text(type)), Attribute(2, value: .text(bundle)), Attribute(3, value: .text("1.0")),
            Attribute(4, value: .raw([1, 2, 3, 0xFF])), Attribute(12, value: .date(createdAt)),
            Attribute(21, value: .date("")),
        ]
        purchases = [
            ReceiptPayload.purchase("1000000000000001", of: "1000000000000001", at: createdAt, until: expiresAt)
        ]
    }

    public static func purchase(
        _ id: String,
        of original: String,
        product: String = "pro.monthly",
        at purchasedAt: String,
        until expiresAt: String,
        type: Int64 = 3
    ) -> [Attribute] {
        [
            Attribute(1701, value: .integer(1)), Attribute(1702, value: .text(product)),
            Attribute(1703, value: .text(id)),
            Attribute(1704, value: .date(purchasedAt)), Attribute(1705, value: .text(original)),
            Attribute(1706, value: .date(purchasedAt)),
            Attribute(1707, value: .integer(type)), Attribute(1708, value: .date(expiresAt)),
            Attribute(1712, value: .date("")),
        ]
    }

    public subscript(type: Int64) -> Value? {
        get { attributes.first { $0.type == type }?.value }
        set {
            attributes.removeAll { $0.type == type }
            if let newValue { attributes.append(Attribute(type, value: newValue)) }
        }
    }

    /// Changes an attribute of the first purchase; nil takes it away.
    public mutating func setPurchase(_ type: Int64, value: Value?) {
        purchases[0].removeAll { $0.type == type }
        if let value { purchases[0].append(Attribute(type, value: value)) }
    }

    public var bytes: [UInt8] {
        let all = attributes + purchases.map { Attribute(17, value: .raw(ReceiptPayload.set($0))) }
        return ReceiptPayload.set(all)
    }

    private static func set(_ attributes: [Attribute]) -> [UInt8] {
        DER.element(
            0x31,
            content: attributes.flatMap { attribute in
                let fields =
                    DER.integer(attribute.type) + DER.integer(1) + DER.element(0x04, content: bytes(attribute.value))
                return DER.element(0x30, content: fields)
            }
        )
    }

    private static func bytes(_ value: Value) -> [UInt8] {
        switch value {
        case .text(let text): DER.element(0x0C, content: Array(text.utf8))
        case .date(let text): DER.element(0x16, content: Array(text.utf8))
        case .integer(let number): DER.integer(number)
        case .raw(let bytes): bytes
        }
    }
}

/// Writes DER (X.690).
public enum DER {
    public static func element(_ tag: UInt8, content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        var digits: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            digits.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(digits.count)] + digits + content
    }

    public static func integer(_ value: Int64) -> [UInt8] {
        var digits = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        while digits.count > 1, (digits[0] == 0 && digits[1] < 0x80) || (digits[0] == 0xFF && digits[1] >= 0x80) {
            digits.removeFirst()
        }
        return element(0x02, content: digits)
    }
}
