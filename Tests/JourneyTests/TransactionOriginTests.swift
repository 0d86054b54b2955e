import TestSupport
import Testing

/// Pages of other origins that post a transaction or a receipt: the rule of /streams, and what browsers ask before.
@Suite(.blocking) struct TransactionOriginTests {
    struct Case: Sendable {
        var origin: String?
        /// `Access-Control-Allow-Origin` of the answers.
        var allowed: String?
        var isRefused = false
    }

    private static let cases = [
        Case(origin: nil), Case(origin: "http://HOST"),
        Case(origin: "https://shop.example", allowed: "https://shop.example"),
        Case(origin: "https://evil.example", isRefused: true), Case(origin: "null", isRefused: true),
    ]

    @Test(arguments: AskedJourneyTests.Proof.allCases)
    func sameAndListedMayPost(_ proof: AskedJourneyTests.Proof) throws {
        let app = try AppPost(["PAYCAST_ALLOWED_ORIGINS": "https://shop.example"])
        let body = AppPost.json(try proof.members(in: app).merging(["stream": app.stream(of: "42")]) { $1 })
        for given in TransactionOriginTests.cases {
            let origin = given.origin?.replacing("HOST", with: "127.0.0.1:\(app.server.port)")
            let headers = origin.map { [("Origin", $0)] } ?? []
            let asked = try app.post(proof.path, body: "", headers: headers, method: "OPTIONS")
            #expect(asked.status == (given.isRefused ? 403 : 204), "\(given)")
            let headersAllowed = "Access-Control-Allow-Headers: Content-Type, traceparent\r\n"
            #expect(asked.head.contains(headersAllowed) == (given.allowed != nil))
            let posted = try app.post(proof.path, body: body, headers: headers)
            #expect(posted.status == (given.isRefused ? 403 : 200), "\(given)")
            if given.isRefused { #expect(posted["error"] == "origin_not_allowed") }
            for answer in [asked, posted] {
                let lines = answer.head.split(separator: "\r\n")
                let header = lines.first { $0.hasPrefix("Access-Control-Allow-Origin: ") }
                #expect(header?.split(separator: " ").last.map(String.init) == given.allowed, "\(given)")
            }
        }
    }

    /// A page must be able to read why it was refused.
    @Test(arguments: AskedJourneyTests.Proof.allCases)
    func refusalsAreShownToo(_ proof: AskedJourneyTests.Proof) throws {
        let app = try AppPost(["PAYCAST_ALLOWED_ORIGINS": "https://shop.example"])
        let headers = [("Origin", "https://shop.example")]
        let posted = try app.post(proof.path, body: "{}", headers: headers)
        #expect(posted.status == 400)
        #expect(posted.head.contains("Access-Control-Allow-Origin: https://shop.example"))
    }
}
