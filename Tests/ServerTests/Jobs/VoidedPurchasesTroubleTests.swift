import Domain
import Simulator
import Stores
import Support
import TestSupport
import Testing

@testable import Server

/// Answers in place of Google's list that are not as documented, and none at all.
@Suite(.blocking) struct VoidedPurchasesTroubleTests {
    struct Trouble: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What `/ready` says; nil: nothing.
        var problem: String?
        var isFailure = true
        var found = 0
        var refused = 0
        var answer: @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer
    }

    private static func page(_ entries: String, next: String? = nil) -> AnsweringServer.Answer {
        let more = next.map { #","tokenPagination":{"nextPageToken":"\#($0)"}"# } ?? ""
        return .init(200, body: #"{"voidedPurchases":[\#(entries)]\#(more)}"#)
    }

    private static func refusal(_ status: Int, reason: String) -> AnsweringServer.Answer {
        .init(status, body: #"{"error":{"errors":[{"reason":"\#(reason)"}]}}"#)
    }

    private static let purchase = #"{"purchaseToken":"nobodys","orderId":"GPA.1","voidedTimeMillis":"1767225000000"}"#

    static let troubles: [Trouble] = [
        .init(testDescription: "nothing was voided", isFailure: false) { _ in .init(200, body: "{}") },
        .init(testDescription: "no JSON") { _ in .init(200, body: "<html>") },
        .init(testDescription: "an array") { _ in .init(200, body: "[]") },
        .init(testDescription: "down") { _ in .init(503) },
        .init(testDescription: "quota") { _ in refusal(403, reason: "quotaExceeded") },
        .init(testDescription: "no right", problem: "View financial data") { _ in
            refusal(403, reason: "permissionDenied")
        },
        .init(testDescription: "no key", problem: "401") { _ in .init(401) },
        .init(testDescription: "no such app", problem: "invite the account") { _ in
            refusal(404, reason: "applicationNotFound")
        },
        .init(testDescription: "page forgotten") { $0.parameter("token") == nil ? page("", next: "a") : .init(410) },
        .init(testDescription: "the same page again") { _ in page("", next: "a") },
        .init(testDescription: "two pages in a circle") { page("", next: $0.parameter("token") == "a" ? "b" : "a") },
        .init(testDescription: "pages without an end") {
            page("", next: "\(($0.parameter("token").flatMap { Int($0) } ?? 0) + 1)")
        },
        .init(testDescription: "list in an object", isFailure: false) { _ in
            .init(200, body: #"{"voidedPurchases":{}}"#)
        },
        .init(testDescription: "strange entries", isFailure: false, found: 4, refused: 4) { _ in
            page(#"5,{},{"purchaseToken":""},{"purchaseToken":"a\u0000","orderId":"GPA.1"}"#)
        },
        .init(testDescription: "a foreign purchase", isFailure: false, found: 1) { request in
            request.path.contains("/tokens/")
                ? refusal(400, reason: "purchaseTokenDoesNotMatchPackageName") : page(purchase)
        },
        .init(testDescription: "nothing but the token", isFailure: false, found: 1) { request in
            request.path.contains("/tokens/")
                ? refusal(404, reason: "purchaseTokenNotFound") : page(#"{"purchaseToken":"x"}"#)
        },
        .init(testDescription: "a quantity beyond all", isFailure: false, found: 1) { request in
            request.path.contains("/tokens/")
                ? refusal(410, reason: "")
                : page(#"{"purchaseToken":"x","voidedQuantity":9223372036854775807,"voidedTimeMillis":"-1"}"#)
        },
    ]

    @Test(arguments: troubles) func harmsNothing(_ given: Trouble) throws {
        let (google, ledger) = (try GoogleFixture(), try LedgerFixture(apis: [.google]))
        defer { ledger.close() }
        google.answer(given.answer)
        let voids = try ledger.voids(google.reader, of: GoogleFixture.package)
        for _ in 0..<2 {
            let report = voids.recover(since: nil)
            #expect(report.isFailure == given.isFailure && report.problems.isEmpty != given.isFailure, "\(report)")
            #expect((report.found, report.refused) == (given.found, given.refused))
        }
        #expect(voids.problems.count == (given.problem == nil ? 0 : 1))
        #expect(voids.problems.allSatisfy { $0.contains(given.problem ?? "") }, "\(voids.problems)")
        // Said once, and never a token.
        let said = ledger.lines.all.filter { $0.contains("voided purchases not read") }
        #expect(said.count == (given.isFailure ? 1 : 0), "\(said)")
        #expect(!ledger.lines.all.contains { $0.contains("nobodys") })
        #expect(google.server.requests.count <= 2 * 201)
        let mark = try ledger.mark("history/google/\(GoogleFixture.package)")
        #expect((mark == nil) == given.isFailure)
        // As soon as it can be read, all is well.
        google.answer(nil)
        #expect(voids.recover(since: nil).problems.isEmpty && voids.problems.isEmpty)
    }

    /// Each page is done with before the next one comes.
    @Test func tenThousandEntriesAreRead() throws {
        let (google, ledger) = (try GoogleFixture(), try LedgerFixture(apis: [.google]))
        defer { ledger.close() }
        var facts = SimulatedSubscription(product: "p", lineage: "token.1")
        facts.state = .active
        let push = try google.say("VOIDED_PURCHASE", of: facts)
        try ledger.send(push)
        let order = push.id.dropFirst("void:".utf8.count)
        let entry = #"{"purchaseToken":"token.1","orderId":"\#(order)"}"#
        let entries = Array(repeating: entry, count: 1000).joined(separator: ",")
        google.answer { request in
            let number = request.parameter("token").flatMap { Int($0) } ?? 1
            return Self.page(entries, next: number < 10 ? "\(number + 1)" : nil)
        }
        let report = try ledger.voids(google.reader, of: GoogleFixture.package).recover(since: nil)
        #expect((report.found, report.outcomes, report.problems) == (10_000, [.duplicate: 10_000], []))
    }

    /// The server goes down while a list without an end is read.
    @Test func stopsInTheMiddle() throws {
        let (google, ledger) = (try GoogleFixture(), try LedgerFixture(apis: [.google]))
        let (reached, gate) = (Promise<Void>(), Promise<Void>())
        google.answer { request in
            let number = request.parameter("token").flatMap { Int($0) } ?? 0
            if number == 3 {
                reached.fulfil(())
                gate.wait()
            }
            return Self.page("", next: "\(number + 1)")
        }
        let voids = try ledger.voids(google.reader, of: GoogleFixture.package)
        voids.start()
        reached.wait()
        voids.halt()
        gate.fulfil(())
        voids.close()
        ledger.close()
        #expect(google.server.requests.count { $0.path.hasSuffix("voidedpurchases") } == 4)
    }
}
