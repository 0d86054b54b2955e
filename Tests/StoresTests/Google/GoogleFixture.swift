import Crypto
import Domain
import HTTPClient
import Synchronization
import TestSupport
import Testing

@testable import Simulator
@testable import Stores

/// A reader, the stand-in that it asks, and the simulated store that both believe.
final class GoogleFixture: Sendable {
    static let now = Instant(milliseconds: 1_767_225_600_000)
    static let key = Result { try RSAPrivateKey.generate() }

    final class Trouble: Sendable {
        let answer = Mutex<AnsweringServer.Answer?>(nil)
    }

    let store: SimulatedGooglePlay
    let standIn: GoogleStandIn
    let server: AnsweringServer
    let api: GooglePlayAPI
    let reader: GoogleVerifier
    /// Takes the place of the API's answers, but for keys and tokens.
    let trouble: Trouble

    init(packages: Allowlist<String> = .any, catalog: Catalog = Catalog()) throws {
        let key = try GoogleFixture.key.get()
        let (standIn, trouble) = (GoogleStandIn(key: key), Trouble())
        let server = AnsweringServer { request in
            if request.path.hasPrefix("/androidpublisher"), let answer = trouble.answer.withLock({ $0 }) {
                return answer
            }
            return GoogleFixture.answer(request, by: standIn)
        }
        let url = server.url
        let credentials = GoogleCredentials(account: "a@b", keyID: "1", key: key, tokenAddress: "\(url)/token")
        api = GooglePlayAPI(
            catalog: catalog,
            clock: { GoogleFixture.now },
            credentials: { credentials },
            address: { url }
        )
        reader = GoogleVerifier(
            packages: packages,
            expected: (audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount),
            keys: GoogleKeys { "\(url)/certs" },
            api: api
        )
        store = SimulatedGooglePlay(key: key)
        self.standIn = standIn
        self.server = server
        self.trouble = trouble
    }

    private static func answer(
        _ request: AnsweringServer.Request,
        by standIn: GoogleStandIn
    ) -> AnsweringServer.Answer {
        let asked = StandInRequest(
            method: request.method,
            path: request.path,
            authorization: request.header("Authorization"),
            body: Array(request.body.utf8)
        )
        guard let answer = standIn.answer(asked) else { return .init(404) }
        return .init(answer.status, body: answer.body, headers: answer.headers.map { ($0.name, $0.value) })
    }

    func delivery(
        _ type: String,
        facts: SimulatedSubscription = .init(product: "paycast.pro.monthly", lineage: "token.1"),
        puts: Bool = true,
        at now: Instant = GoogleFixture.now
    ) throws -> Delivery {
        let delivery = try store.delivery(
            SimulatedEvent(type: type, facts: facts, token: .random(), now: now)
        )
        for document in delivery.documents where puts {
            let request = StandInRequest(method: "PUT", path: document.path, body: document.json)
            #expect(standIn.answer(request)?.status == 200)
        }
        return Delivery(body: delivery.body, authorization: delivery.headers[0].1)
    }
}
