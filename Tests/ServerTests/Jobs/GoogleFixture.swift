import Crypto
import Domain
import Synchronization
import TestSupport
import Testing

@testable import Simulator
@testable import Stores

/// A reader, Google's stand-in behind a real socket, and the simulated store that both believe.
final class GoogleFixture: Sendable {
    typealias Answer = @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer?

    static let package = SimulatedGooglePlay.package
    private static let key = Result { try RSAPrivateKey.generate() }

    let reader: GoogleVerifier
    let server: AnsweringServer
    private let store: SimulatedGooglePlay
    private let standIn: GoogleStandIn
    private let override: Override

    init() throws {
        let key = try GoogleFixture.key.get()
        let standIn = GoogleStandIn(key: key)
        let override = Override()
        let server = AnsweringServer { request in
            if request.path.hasPrefix("/androidpublisher"), let answer = override.answer.withLock({ $0 })?(request) {
                return answer
            }
            let question = StandInRequest(
                method: request.method,
                path: request.path,
                query: { request.parameter($0) },
                authorization: request.header("Authorization"),
                body: Array(request.body.utf8)
            )
            return standIn.answer(question).map { .init($0.status, body: $0.body) } ?? .init(404)
        }
        let url = server.url
        let credentials = GoogleCredentials(account: "a@b", keyID: "1", key: key, tokenAddress: "\(url)/token")
        reader = GoogleVerifier(
            packages: .only([GoogleFixture.package]),
            expected: (audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount),
            keys: GoogleKeys { "\(url)/certs" },
            api: GooglePlayAPI(clock: { AppleFixture.now }, credentials: { credentials }, address: { url })
        )
        store = SimulatedGooglePlay(key: key)
        self.standIn = standIn
        self.server = server
        self.override = override
    }

    private final class Override: Sendable {
        let answer = Mutex<Answer?>(nil)
    }

    /// From now on this answers in the API's place, where it has an answer.
    func answer(_ answer: Answer?) {
        override.answer.withLock { $0 = answer }
    }

    /// What Google says from now on; the push, proven.
    @discardableResult
    func say(
        _ words: String,
        of facts: SimulatedSubscription,
        for order: OrderToken? = nil,
        at now: Instant = AppleFixture.now
    ) throws -> Event {
        let parts = words.split(separator: "/").map(String.init)
        let event = SimulatedEvent(
            type: parts[0],
            subtype: parts.count > 1 ? parts[1] : nil,
            facts: facts,
            token: order,
            now: now
        )
        let delivery = try store.delivery(event)
        for document in delivery.documents + delivery.history {
            let request = StandInRequest(method: "PUT", path: document.path, body: document.json)
            #expect(standIn.answer(request)?.status == 200)
        }
        let push = Delivery(body: delivery.body, authorization: delivery.headers[0].1)
        let proven = try reader.verify(push, now: AppleFixture.now)
        #expect(proven.id == delivery.event)
        return proven
    }
}
