import Crypto
import Domain
import HTTPClient
import Synchronization
import TestSupport
import Testing

@testable import Stores

@Suite struct GoogleAccessTokensTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    /// Two threads were refused with the first token: the second one's refusal comes after another was granted.
    @Test func lateRefusalLeavesTheNewTokenAlone() throws {
        let granted = Mutex(0)
        let server = AnsweringServer { _ in
            let number = granted.withLock { count in
                count += 1
                return count
            }
            return .init(200, body: #"{"access_token":"token-\#(number)","expires_in":3599}"#)
        }
        let credentials = GoogleCredentials(
            account: "a@b",
            keyID: "1",
            key: try RSAPrivateKey.generate(),
            tokenAddress: server.url
        )
        let access = GoogleAccessTokens({ credentials }, client: HTTPClient(timeout: .seconds(10)))
        let refused = try access.bearer(now: Self.now)
        access.forget(refused)
        let second = try access.bearer(now: Self.now)
        #expect(second == "Bearer token-2")
        access.forget(refused)
        #expect(try access.bearer(now: Self.now) == second)
        #expect(server.requests.count == 2)
    }
}
