/// What an app gives an order to get it back with the purchase. It says nothing about what is bought.
public struct OrderContext: Sendable {
    public static let none = OrderContext()

    /// Where the page that ordered goes after the purchase: a path, or an address that has been checked.
    public var successURL: String?
    /// The app's own words. Names are letters, digits and `_`.
    public var metadata: [String: String] = [:]

    public init() {}

    public var isEmpty: Bool { self == .none }

    /// As Stripe's, so that templates can name them.
    public static func isName(_ name: String) -> Bool {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    /// The bytes of all names and values together, at the most.
    public static let metadataLimit = 1024
    public static let valueLimit = 500
    public static let addressLimit = 2048
}

/// Compared as bytes, as all that an app says.
extension OrderContext: Hashable {
    public static func == (left: OrderContext, right: OrderContext) -> Bool {
        left.successURL.map { Array($0.utf8) } == right.successURL.map { Array($0.utf8) }
            && left.metadata.count == right.metadata.count
            && left.metadata.allSatisfy { name, value in right.metadata[name]?.hasSameBytes(as: value) ?? false }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(metadata.count) }
}

extension OrderContext {
    /// The values of fragments' templates. `isBought`: the buyer's page goes on from here, and not from what comes later.
    func templateValues(isBought: Bool) -> [String: String] {
        var values: [String: String] = [:]
        for (name, value) in metadata { values[TemplateValues.metadata + name] = value }
        if isBought { values[TemplateValues.successURL] = successURL }
        return values
    }
}
