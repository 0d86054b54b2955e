import Domain
import Encoding
import TestSupport
import Testing

@testable import Stores

/// What apps posted, proven again as the ledger keeps it.
@Suite struct StoredReceiptTests {
    private func interpret(_ events: [Event]) throws -> [Event?] {
        let verifier = try ReceiptSpecimen().verifier()
        return try events.map { event in
            try verifier.interpret(
                StoredDelivery(
                    id: event.id,
                    body: event.body,
                    environment: event.environment,
                    app: event.app,
                    receivedAt: ReceiptSpecimen.now
                )
            )
        }
    }

    @Test func eachPurchaseOfAReceiptIsFound() throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.purchases.append(
            ReceiptPayload.purchase("9", of: "9", product: "map", at: "2025-01-01T00:00:00Z", until: "", type: 0)
        )
        let events = try specimen.verify()
        #expect(events.count == 2)
        #expect(try interpret(events) == events)
    }

    @Test func storedAnswerIsFound() throws {
        let text = """
            {"verifyReceipt":{"status":0,"receipt":{"bundle_id":"com.example.shop","request_date_ms":"1767225600000"},
            "latest_receipt_info":[{"product_id":"p","transaction_id":"2","purchase_date_ms":"1767000000000"}]},
            "environment":"Production"}
            """
        let answer = try #require(JSONNode(text)?["verifyReceipt"])
        let events = try ReceiptSpecimen().verifier()
            .migrate(answer, environment: .production, body: Array(text.utf8), now: ReceiptSpecimen.now)
        #expect(try interpret(events) == events)
    }

    /// The whole body is kept: a stranger may have posted Apple's own payload with members beside it that nobody signed.
    @Test(arguments: [
        #""verifyReceipt":{"status":0,"latest_receipt_info":[{"product_id":"gold","transaction_id":"2"}]}"#,
        #""signedTransaction":"e30.e30.e30""#, #""status":1,"signedTransactionInfo":"e30.e30.e30""#,
    ]) func membersBesideAGenuinePayloadMeanNothing(_ members: String) throws {
        let specimen = try Specimen()
        let payload = String(decoding: try specimen.body().dropFirst().dropLast(), as: UTF8.self)
        for text in ["{\(members),\(payload)}", "{\(payload),\(members)}"] {
            let event = try specimen.verifier().verify(body: Array(text.utf8), now: specimen.now)
            let stored = StoredDelivery(
                id: event.id,
                body: event.body,
                environment: event.environment,
                app: event.app,
                receivedAt: specimen.now
            )
            #expect(try specimen.verifier().interpret(stored) == event)
        }
    }

    @Test func postedTransactionIsFound() throws {
        let specimen = try Specimen()
        let verifier = try ReceiptSpecimen().verifier()
        let transaction = try #require(specimen.transaction).text()
        let renewal = try #require(specimen.renewal).text()
        let event = try verifier.verify(transaction: transaction, renewalInfo: renewal, now: specimen.now)
        #expect(try interpret([event]) == [event])
    }
}
