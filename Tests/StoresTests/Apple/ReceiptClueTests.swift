import Crypto
import Domain
import Encoding
import TestSupport
import Testing

@testable import Stores

/// What to ask Apple about: read from what nobody vouches for.
@Suite struct ReceiptClueTests {
    @Test func signedReceiptNamesItsFirstContract() throws {
        var specimen = try ReceiptSpecimen()
        specimen.pki = try PKI.make()
        let clue = try #require(ReceiptClue(unproven: try specimen.bytes()))
        #expect(clue == ReceiptClue(transactionID: "1000000000000001", app: "com.example.shop", environment: .sandbox))
    }

    @Test func unsignedOneIsFoundAsWell() throws {
        var specimen = try ReceiptSpecimen()
        specimen.form = [.indefinite, .withoutCertificates]
        #expect(ReceiptClue(unproven: try specimen.bytes())?.transactionID == "1000000000000001")
    }

    @Test func receiptWithoutPurchasesNamesNone() throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.purchases = []
        #expect(ReceiptClue(unproven: try specimen.bytes()) == nil)
    }

    static let info = Base64.encode(Array(#"{ "bid" = "com.example"; "transaction-id" = "33993399"; }"#.utf8))

    struct Place: Sendable {
        var info: String
        var isAsked: Bool
    }

    /// Only Apple can tell whose a receipt of iOS 6 is that does not say.
    @Test(arguments: [
        Place(info: #"{ "transaction-id" = "33993399"; }"#, isAsked: true),
        Place(info: #"{ "bid" = "com.example.shop"; "transaction-id" = "33993399"; }"#, isAsked: true),
        Place(info: #"{ "bid" = "com.example.other"; "transaction-id" = "33993399"; }"#, isAsked: false),
    ]) func appleIsAskedUnlessItIsOfAnotherApp(_ place: Place) throws {
        let list = #"{ "purchase-info" = "\#(Base64.encode(Array(place.info.utf8)))"; }"#
        let verifier = try ReceiptSpecimen().verifier()
        #expect((verifier.clue(in: Array(list.utf8)) != nil) == place.isAsked)
    }

    struct Old: Sendable {
        var text: String
        var id: String?
        var environment: StoreEnvironment?
    }

    @Test(arguments: [
        Old(text: "{\n\t\"signature\" = \"A==\";\n\t\"purchase-info\" = \"\(info)\";\n}", id: "33993399"),
        Old(
            text: "{ \"purchase-info\"=\"\(info)\"; \"environment\" = \"Sandbox\"; }",
            id: "33993399",
            environment: .sandbox
        ),
        Old(text: "{ \"purchase-info\" = \"\(info)"),
        Old(text: "{ \"purchase-info\" \"\(info)\"; }"),
        Old(text: "{ \"purchase-info\" = \"!\"; }"),
        Old(text: "{ \"purchase-info\" = \"\(Base64.encode(Array("\"transaction-id\" = \"../../x\"".utf8)))\"; }"),
        Old(text: "{ \"purchase-info\" = \"\(Base64.encode(Array("\"transaction-id\" = \"0\"".utf8)))\"; }"),
        Old(text: "{"),
        Old(text: ""),
    ]) func receiptOfIOS6IsRead(_ old: Old) {
        let clue = ReceiptClue(unproven: Array(old.text.utf8))
        #expect(clue?.transactionID == old.id)
        #expect(clue?.environment == old.environment)
    }
}
