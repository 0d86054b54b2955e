import Crypto
import TestSupport
import Testing

@testable import Commands
@testable import Stores

@Suite(.blocking) struct AppleCheckTests {
    @Test(arguments: [
        (StoreAPIError.unauthorized(reason: "x"), "In-App Purchase key"),
        (.refused(status: 404, code: "4040007", reason: "x"), "App Store Server Notifications"),
        (.refused(status: 404, code: nil, reason: "x"), "PAYCAST_APPLE_API_URL"),
    ]) func explainsWhatAppleAnswers(_ error: StoreAPIError, hint: String) {
        #expect(AppleDoctorCheck.explanation(of: error).contains(hint))
    }

    @Test(arguments: [
        ("SUCCESS", Finding.Level.ok, "has arrived"), ("TLS_ISSUE", .fail, "chain"), ("TIMED_OUT", .fail, "firewall"),
        ("UNSUCCESSFUL_HTTP_RESPONSE_CODE", .fail, "log"), ("SOMETHING_NEW", .fail, "SOMETHING_NEW"),
    ]) func explainsWhatApplesAttemptMet(_ result: String, level: Finding.Level, hint: String) {
        let finding = AppleDoctorCheck.finding("Apple", app: "com.example", result: result)
        #expect(finding.level == level && finding.detail.contains(hint))
    }

    /// The stand-in of a development server posts a real test notification to that server, and says what it met.
    @Test func testNotificationMakesTheRoundTrip() throws {
        let server = try PaycastServer(environment: ["PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast"])
        let key = try PrivateKey.generate(.p256).pem()
        let environment = [
            "PAYCAST_APPLE_API_KEY": key, "PAYCAST_APPLE_API_KEY_ID": "ABC", "PAYCAST_APPLE_API_ISSUER_ID": "me",
            "PAYCAST_APPLE_API_URL": server.url + "/demo/api/apple", "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast",
            "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox",
        ]
        let process = PaycastProgram.start(["doctor"], environment: environment, folder: server.folder.path)
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output)")
        #expect(process.output.contains("ok    Apple Sandbox"), "\(process.output)")
        #expect(!process.output.contains("PRIVATE"))
    }
}
