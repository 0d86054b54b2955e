import Crypto
import Domain
import Simulator
import Stores
import Synchronization
import TestSupport
import Testing

@Suite(.blocking) struct StoreDriverTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)
    private static let authority = Result { try DevelopmentAuthority.create() }
    private static let order = OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165") ?? .random()
    private static let lineage = SimulatedSubscription(product: "paycast.pro.monthly", order: order).lineage

    private static let created = """
        {"order":"\(order)","product":"paycast.pro.monthly","signed_stream":"s","since":"k3x9-0",
          "sse":"http://h/streams","stream":"user:42:paywall","user":"42","websocket":"ws://h/streams"}
        """

    /// A server with the three routes, which believes what the development authority signs.
    private final class Server: Sendable {
        let requests = Mutex<[String]>([])
        let events = Mutex<[Event]>([])
    }

    private func serve(contracts: String = "[]", server: Server) throws -> SocketServer {
        let authority = try Self.authority.get()
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.sandbox],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
        return SocketServer { socket in
            let head = try socket.read(until: "\r\n\r\n")
            let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
            let body = try socket.read(count: length.flatMap { Int($0.dropFirst(16)) } ?? 0)
            server.requests.withLock { $0.append(head + String(decoding: body, as: UTF8.self)) }
            guard !head.hasPrefix("PUT ") else {
                return try socket.send("HTTP/1.1 404 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            }
            let answer: String
            if head.hasPrefix("POST /orders ") {
                answer = Self.created
            } else if head.hasPrefix("GET /users/4%202/entitlements ") {
                answer = #"{"user":"4 2","active":true,"entitlements":{},"contracts":\#(contracts),"since":"k3x9-1"}"#
            } else {
                let event = try verifier.verify(body: body, now: Self.now)
                server.events.withLock { $0.append(event) }
                answer = #"{"outcome":"applied","event":"\#(event.id)","cursor":"k3x9-2"}"#
            }
            try socket.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\nConnection: close\r\n\r\n\(answer)"
            )
        }
    }

    private func driver(_ socket: SocketServer) throws -> StoreDriver {
        let authority = try Self.authority.get()
        let signer = AppStoreSigner(chain: authority.chain, key: authority.leafKey)
        return StoreDriver(server: socket.url + "/", apiKey: "test-key", store: SimulatedAppStore(signer: signer))
    }

    @Test func firstPurchaseGetsAnOrder() throws {
        let server = Server()
        let socket = try serve(server: server)
        let request = StoreDriver.Request(type: "SUBSCRIBED", subtype: "INITIAL_BUY", user: "4 2")
        let delivery = try driver(socket).deliver(request, now: Self.now)
        #expect(delivery.status == 200)
        #expect(delivery.outcome == "applied")
        #expect(delivery.cursor == "k3x9-2")
        let requests = server.requests.withLock { $0 }
        #expect(requests.count == 4)
        #expect(requests[1].contains("Authorization: Bearer test-key\r\n"))
        #expect(requests[1].contains(#""product":"paycast.pro.monthly""#))
        #expect(requests[3].hasPrefix("PUT /demo/api/apple/notifications/\(delivery.event) "))
        #expect(requests[2...].allSatisfy { !$0.contains("test-key") })
        let event = try #require(server.events.withLock { $0.first })
        #expect(event.id == delivery.event)
        #expect(event.observation?.token == Self.order)
        #expect(event.observation?.contract.lineage == Self.lineage)
    }

    private static let held = """
        [{"product":"paycast.pro.monthly","entitlements":["default"],"group":"21580001","state":"active","active":true,
          "access_until":"2026-02-01T00:00:00.000Z","auto_renew":true,"trial":false,"trial_ends_at":null,
          "pending_product":null,"provider":"apple","store":"apple","environment":"Sandbox",
          "contract":"2000000000000007","family":false}]
        """

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: StoreDriver.Request
        var lineage: String
        var product: String
        var until: String?

        init(
            _ name: String,
            type: String,
            subtype: String? = nil,
            product: String? = nil,
            order: String? = nil,
            lineage: String,
            becomes: String,
            until: String? = nil
        ) {
            testDescription = name
            request = StoreDriver.Request(
                type: type,
                subtype: subtype,
                user: "4 2",
                order: order.flatMap { OrderToken($0) }
            )
            request.product = product
            self.lineage = lineage
            self.product = becomes
            self.until = until
        }
    }

    @Test(arguments: [
        Case(
            "renewal continues what is held",
            type: "DID_RENEW",
            lineage: "2000000000000007",
            becomes: "paycast.pro.monthly",
            until: "2026-03-03T00:00:00.000Z"
        ),
        Case(
            "upgrade takes the product that was asked for",
            type: "DID_CHANGE_RENEWAL_PREF",
            subtype: "UPGRADE",
            product: "paycast.pro.lifetime",
            lineage: "2000000000000007",
            becomes: "paycast.pro.lifetime"
        ),
        Case(
            "new purchase of another product gets an order",
            type: "SUBSCRIBED",
            subtype: "INITIAL_BUY",
            product: "paycast.pro.annual",
            lineage: lineage,
            becomes: "paycast.pro.annual"
        ),
        Case(
            "an order that is named decides",
            type: "DID_RENEW",
            order: order.description,
            lineage: lineage,
            becomes: "paycast.pro.monthly"
        ),
    ]) func continuesTheRightContract(_ given: Case) throws {
        let server = Server()
        let socket = try serve(contracts: Self.held, server: server)
        let delivery = try driver(socket).deliver(given.request, now: Self.now)
        #expect(delivery.status == 200)
        let observation = try #require(server.events.withLock { $0.first?.observation })
        #expect(observation.contract.lineage == given.lineage)
        #expect(observation.snapshot?.product == given.product)
        #expect(given.until == nil || observation.snapshot?.accessUntil?.iso8601 == given.until)
    }

    @Test func refusalsAreToldInTheServersWords() throws {
        let body = #"{"error":"unauthorized","message":"Send the API key as a bearer token."}"#
        let recorder = Recorder("HTTP/1.1 401 Unauthorized\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let authority = try Self.authority.get()
        let driver = StoreDriver(
            server: recorder.url,
            apiKey: "wrong",
            store: SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        )
        let request = StoreDriver.Request(type: "TEST", user: "42")
        let error = #expect(throws: StoreDriverError.self) {
            try driver.deliver(request, now: Self.now)
        }
        #expect(error?.description.contains("401") == true)
        #expect(error?.description.contains("Send the API key as a bearer token.") == true)
    }

    @Test func somebodyMustPay() throws {
        let socket = try serve(server: Server())
        #expect(throws: StoreDriverError.nobody) {
            try driver(socket).deliver(.init(type: "DID_RENEW"), now: Self.now)
        }
    }
}
