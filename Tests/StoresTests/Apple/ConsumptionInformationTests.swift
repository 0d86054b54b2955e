import APIModel
import Domain
import Encoding
import Testing

@testable import Stores

/// What a backend says of a purchase, and what Apple gets of it.
@Suite struct ConsumptionInformationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Beside consent, delivery and sample.
        var more = ""
        var delivery = "DELIVERED"
        var isSubscription = false
        /// What Apple gets behind delivery and sample, or the error's code.
        var sent = ""
        var code: String?
    }

    @Test(arguments: [
        Row(testDescription: "the least"),
        Row(
            testDescription: "a quarter is used",
            more: #","consumption_percentage":25000"#,
            sent: #","consumptionPercentage":25000"#
        ),
        Row(
            testDescription: "a share back",
            more: #","consumption_percentage":1,"refund_preference":"GRANT_PRORATED""#,
            sent: #","consumptionPercentage":1,"refundPreference":"GRANT_PRORATED""#
        ),
        Row(
            testDescription: "a share of nothing",
            more: #","refund_preference":"GRANT_PRORATED""#,
            code: "invalid_consumption"
        ),
        Row(
            testDescription: "a share of a subscription",
            more: #","refund_preference":"GRANT_PRORATED""#,
            isSubscription: true,
            sent: #","refundPreference":"GRANT_PRORATED""#
        ),
        Row(
            testDescription: "a subscription that is used",
            more: #","consumption_percentage":0"#,
            isSubscription: true,
            code: "invalid_consumption"
        ),
        Row(testDescription: "not delivered", delivery: "UNDELIVERED_OTHER", sent: #","consumptionPercentage":0"#),
        Row(testDescription: "a subscription, not delivered", delivery: "UNDELIVERED_WRONG_ITEM", isSubscription: true),
        Row(
            testDescription: "not delivered, and used",
            more: #","consumption_percentage":1"#,
            delivery: "UNDELIVERED_OTHER",
            code: "invalid_consumption"
        ),
        Row(testDescription: "more than all", more: #","consumption_percentage":100001"#, code: "invalid_json"),
        Row(testDescription: "another preference", more: #","refund_preference":"grant_full""#, code: "invalid_json"),
        Row(testDescription: "another delivery", delivery: "0", code: "invalid_json"),
    ]) func appleGetsWhatItTakes(_ row: Row) throws {
        var job = Job(kind: .refundRequest, provider: .apple, environment: .sandbox, app: "a", subject: "1")
        job.detail = #"{"product":"p","isSubscription":\#(row.isSubscription),"purchasedAt":0}"#
        let request = try #require(AppleRefundRequest(job))
        let body =
            #"{"customer_consented":true,"delivery_status":"\#(row.delivery)","sample_content_provided":false\#(row.more)}"#
        do throws(RefusedBody) {
            let sent = try ConsumptionInformation(RefusedBody.object(Array(body.utf8))).body(for: request)
            let delivery = #""deliveryStatus":"\#(row.delivery)","sampleContentProvided":false"#
            #expect(sent == #"{"customerConsented":true,\#(delivery)\#(row.sent)}"# && row.code == nil)
        } catch {
            #expect(error.code == row.code)
        }
    }

    @Test(arguments: ["", #""customer_consented":false,"#, #""customer_consented":null,"#])
    func nothingIsSaidWithoutConsent(_ consent: String) throws {
        let body = #"{\#(consent)"delivery_status":"DELIVERED","sample_content_provided":true}"#
        let node = try RefusedBody.object(Array(body.utf8))
        let refusal = #expect(throws: RefusedBody.self) { try ConsumptionInformation(node) }
        #expect(refusal?.code == "no_consent" && refusal?.status == 422)
    }
}
