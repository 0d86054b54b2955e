import Crypto
import Domain
import Simulator
import Support
import TestSupport

@testable import Stores

/// Google's pushes, proven by their token, and the purchase as Google's API answers: a stand-in behind a socket.
struct GoogleWire: StoreWire {
    private static let key = Result { try RSAPrivateKey.generate() }
    private let store: SimulatedGooglePlay
    private let standIn: GoogleStandIn
    private let server: AnsweringServer
    private let reader: GoogleVerifier

    init(_ catalog: Catalog, clock: Clock) throws {
        let key = try Self.key.get()
        let standIn = GoogleStandIn(key: key)
        let server = AnsweringServer { standIn.served($0) }
        let url = server.url
        let credentials = GoogleCredentials(
            account: SimulatedGooglePlay.serviceAccount,
            keyID: SimulatedGooglePlay.keyID,
            key: key,
            tokenAddress: "\(url)/token"
        )
        reader = GoogleVerifier(
            packages: .only([SimulatedGooglePlay.package]),
            expected: (audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount),
            keys: GoogleKeys { "\(url)/certs" },
            api: GooglePlayAPI(catalog: catalog, clock: clock.now, credentials: { credentials }, address: { url })
        )
        store = SimulatedGooglePlay(key: key)
        self.standIn = standIn
        self.server = server
    }

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        let delivery = try store.delivery(asked)
        for (index, document) in delivery.documents.enumerated() {
            var purchase = try WireText(document.json)
            if index == 0 {
                for (place, json) in edits { try purchase.set(String(place.dropFirst("purchase.".count)), to: json) }
            }
            standIn.put(document.path, json: try purchase.bytes())
        }
        let bearer = delivery.headers.first?.1
        return try reader.verify(Delivery(body: delivery.body, authorization: bearer), now: asked.now)
    }
}
