import Crypto
import Domain
import Encoding

/// What to ask Apple about a receipt. It is not verified: only Apple's signed answer counts.
struct ReceiptClue: Equatable {
    var transactionID: String
    /// The bundle id; nil when the receipt does not name one.
    var app: String?
    /// Nil when the receipt does not name one: then ask both, Production first.
    var environment: StoreEnvironment?
}

extension ReceiptClue {
    /// Reads a receipt from iOS 7 or later (PKCS#7) or from iOS 6 (a property list). Nil when it names no transaction.
    init?(unproven receipt: [UInt8]) {
        let isOld = ReceiptClue.isPropertyList(receipt)
        let clue = isOld ? ReceiptClue.listed(receipt) : ReceiptClue.signed(receipt)
        guard let clue, ReceiptClue.isAskable(clue.transactionID) else { return nil }
        self = clue
    }

    /// Whether it is a receipt from iOS 6.
    static func isPropertyList(_ receipt: [UInt8]) -> Bool { receipt.first == UInt8(ascii: "{") }

    private static func signed(_ receipt: [UInt8]) -> ReceiptClue? {
        guard let content = VerifiedCMSMessage.unprovenContent(of: receipt), let parsed = try? AppReceipt(content)
        else { return nil }
        let ids = parsed.purchases.compactMap { $0.originalTransactionID ?? $0.transactionID }
        return ids.first(where: isAskable).map {
            ReceiptClue(transactionID: $0, app: parsed.bundle, environment: parsed.environment)
        }
    }

    /// Whether `id` may become part of a URL. Xcode's receipts have 0.
    private static func isAskable(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count) && id != "0" && id.utf8.allSatisfy(\.isLetterOrDigit)
    }

    /// The value of `SKPaymentTransaction.transactionReceipt`:
    /// `{ "purchase-info" = "BASE64"; "environment" = "Sandbox"; … }` around another such list. We cannot check its
    /// signature.
    private static func listed(_ receipt: [UInt8]) -> ReceiptClue? {
        guard let info = value(of: "purchase-info", in: receipt).flatMap({ Base64.decode($0) }),
            let transaction = value(of: "transaction-id", in: info)
        else { return nil }
        let isSandbox = value(of: "environment", in: receipt) == "Sandbox"
        let app = value(of: "bid", in: info)
        return ReceiptClue(transactionID: transaction, app: app, environment: isSandbox ? .sandbox : nil)
    }

    /// The text between the quotes after `"name" =`.
    private static func value(of name: String, in list: [UInt8]) -> String? {
        guard let text = String(validating: list, as: UTF8.self), let found = text.firstRange(of: "\"\(name)\"") else {
            return nil
        }
        var rest = text.utf8[found.upperBound...].drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop(while: isSpace)
        guard rest.popFirst() == quote, let end = rest.firstIndex(of: quote) else { return nil }
        return String(rest[..<end])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static let quote = UInt8(ascii: "\"")
}
