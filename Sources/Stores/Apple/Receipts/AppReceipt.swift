import Crypto
import Domain

/// What an App Store receipt says, or a stored answer of `verifyReceipt` about one.
struct AppReceipt {
    enum Source: String {
        case receipt = "RECEIPT"
        case verifyReceipt = "VERIFY_RECEIPT"
    }

    var source = Source.receipt
    var bundle: String?
    /// Nil for a receipt from Xcode, and for one that does not name its type.
    var environment: StoreEnvironment?
    /// When it was made, or when Apple answered.
    var statedAt: Instant?
    /// Only in receipts of the Volume Purchase Program.
    var expiresAt: Instant?
    var purchases: [ReceiptPurchase] = []
    /// By lineage; a signed receipt has none.
    var renewals: [String: StoredRenewal] = [:]
}

/// One purchase as a receipt lists it.
struct ReceiptPurchase {
    var quantity: Int64?
    var product: String?
    var transactionID: String?
    var originalTransactionID: String?
    var purchasedAt: Instant?
    var expiresAt: Instant?
    var cancelledAt: Instant?
    /// StoreKit's numbers: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
    var productType: Int64?
    var isTrial = false
    // Only `verifyReceipt` states the following.
    var group: String?
    var token: OrderToken?
    var isFamilyShared = false
    var isUpgraded = false
}

extension AppReceipt {
    /// Reads the content of a signed receipt: a SET of attributes
    /// (https://developer.apple.com/library/archive/releasenotes/General/ValidateAppStoreReceipt/Chapters/ReceiptFields.html).
    /// Throws when `payload` is not such a SET, or has an unreadable date.
    init(_ payload: [UInt8]) throws(BERReader.Malformed) {
        let attributes = try ReceiptAttributes(unwrapped: payload)
        switch attributes.text(0) {
        case "Production", "ProductionVPP": environment = .production
        case "ProductionSandbox", "ProductionVPPSandbox": environment = .sandbox
        default: environment = nil
        }
        bundle = attributes.text(2)
        statedAt = try attributes.date(12)
        expiresAt = try attributes.date(21)
        purchases = try attributes.purchases.map { value throws(BERReader.Malformed) in
            try ReceiptPurchase(try ReceiptAttributes(value[...]))
        }
    }
}

extension ReceiptPurchase {
    fileprivate init(_ attributes: ReceiptAttributes) throws(BERReader.Malformed) {
        quantity = attributes.integer(1701)
        product = attributes.text(1702)
        transactionID = attributes.text(1703)
        purchasedAt = try attributes.date(1704)
        originalTransactionID = attributes.text(1705)
        productType = attributes.integer(1707)
        expiresAt = try attributes.date(1708)
        cancelledAt = try attributes.date(1712)
        isTrial = attributes.integer(1713) == 1
    }
}

/// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`. If a type occurs twice, the first one
/// counts, so that nobody can append another meaning.
private struct ReceiptAttributes {
    private static let purchase: Int64 = 17

    private var values: [Int64: [UInt8]] = [:]
    /// The values of the only type that may occur several times.
    var purchases: [[UInt8]] = []

    init(_ bytes: ArraySlice<UInt8>) throws(BERReader.Malformed) {
        var outer = BERReader(bytes)
        try self.init(try outer.next(BERTag.set))
        guard outer.isAtEnd else { throw BERReader.Malformed() }
    }

    /// Accepts an extra wrapper around the content, which some tools add.
    init(unwrapped bytes: [UInt8]) throws(BERReader.Malformed) {
        var outer = BERReader(bytes[...])
        guard let element = try outer.next(), outer.isAtEnd else { throw BERReader.Malformed() }
        if element.tag == BERTag.set {
            try self.init(element)
        } else {
            try self.init(try element.octets()[...])
        }
    }

    private init(_ set: BERReader.Element) throws(BERReader.Malformed) {
        var elements = set.elements
        while !elements.isAtEnd {
            var attribute = try elements.next(BERTag.sequence).elements
            let type = try attribute.next(BERTag.integer).integer
            _ = try attribute.next(BERTag.integer)
            guard let value = try attribute.next()?.octets(), let type else { throw BERReader.Malformed() }
            if type == ReceiptAttributes.purchase {
                purchases.append(value)
            } else if values[type] == nil {
                values[type] = value
            }
        }
    }

    /// An empty text counts as missing.
    func text(_ type: Int64) -> String? { element(type)?.text.flatMap { $0.isEmpty ? nil : $0 } }

    func integer(_ type: Int64) -> Int64? { element(type)?.integer }

    /// An empty date counts as missing. An unreadable one throws, because it may be a cancellation.
    func date(_ type: Int64) throws(BERReader.Malformed) -> Instant? {
        guard let text = text(type) else { return nil }
        guard let date = Instant(iso8601: text) else { throw BERReader.Malformed() }
        return date
    }

    private func element(_ type: Int64) -> BERReader.Element? {
        guard let value = values[type] else { return nil }
        var reader = BERReader(value[...])
        return try? reader.next()
    }
}
