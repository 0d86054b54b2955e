import Crypto
import Domain
import HTTPClient
import Support
import Synchronization
import TestSupport
import Testing

@testable import Stores

@Suite struct SharedFailureTests {
    /// Those who came before a failure ended share it; those who come later ask for themselves.
    @Test func isSharedByThoseWhoWaited() throws {
        var failure = SharedFailure()
        let came = monotonicNanoseconds()
        try failure.share(since: came) {}
        Self.fail(&failure, .unavailable(reason: "test"), since: came)
        #expect(throws: StoreAPIError.unavailable(reason: "test")) { try failure.share(since: came) {} }
        try failure.share(since: monotonicNanoseconds() + 1) {}
    }

    @Test func whatConcernsOnePurchaseIsNot() throws {
        var failure = SharedFailure()
        let came = monotonicNanoseconds()
        Self.fail(&failure, .refused(status: 400, code: nil, reason: "this one"), since: came)
        try failure.share(since: came) {}
    }

    private static func fail(_ failure: inout SharedFailure, _ error: StoreAPIError, since came: MonotonicTime) {
        try? failure.share(since: came) { () throws(StoreAPIError) in throw error }
    }

    /// Eight threads wait for one dead address as long as one does.
    @Test func deadTokenAddressIsWaitedForOnce() throws {
        let server = AnsweringServer { _ in .silence }
        let credentials = GoogleCredentials(
            account: "a@b",
            keyID: "1",
            key: try RSAPrivateKey.generate(),
            tokenAddress: server.url
        )
        let access = GoogleAccessTokens({ credentials }, client: HTTPClient(timeout: .seconds(5)))
        let failures = Counter()
        let start = monotonicNanoseconds()
        let threads = (0..<8).map { number in
            WorkerThread(name: "push-\(number)") {
                if (try? access.bearer(now: Instant(milliseconds: 0))) == nil { failures.add() }
            }
        }
        threads.forEach { $0.join() }
        #expect(failures.value == 8)
        #expect(monotonicNanoseconds() - start < 20_000_000_000, "not eight times 5 s")
    }
}
