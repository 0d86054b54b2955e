import APIModel
public import Domain
import HTTP
public import Pages
import Support

/// Maps each route to the endpoint that answers it.
public struct Endpoints: RequestHandler {
    private let services: Services
    private let files: StaticFiles
    /// The operators' pages; nil without them. They ask these endpoints for what they show.
    public var console: (@Sendable (Request) -> Answer)?
    /// Whether somebody may come in there now.
    public var isConsoleOpen: @Sendable () -> Bool = { false }
    /// Makes links to those pages, which may be at another address; nil without them.
    public var consoleLinks: (@Sendable (UserID, Request) -> Answer)?

    public init(_ services: Services) {
        self.services = services
        let demo = services.development == nil ? [:] : Assets.demo
        files = StaticFiles(
            services.publicFolder,
            builtIn: demo.reduce(into: [:]) { $0["demo/\($1.key)"] = ShippedFile($1.key, bytes: $1.value) },
            readers: services.workers,
            openFiles: Limits.sentFiles
        )
    }

    public var hasConsole: Bool { isConsoleOpen() }

    public func refused(_ request: Request, with response: Response) {
        guard case .webhook(let provider) = request.route, request.method == "POST" else { return }
        WebhookEndpoint(services: services, provider: provider).refused(request, with: response)
    }

    public func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict {
        CableEndpoint(services: services).verdict(on: parameters, history: history)
    }

    public func handle(_ request: Request) -> Answer {
        do throws(RefusedBody) {
            if let development = services.development {
                try DevelopmentGuard(services.authorization).check(request)
                if let answer = development(request) { return answer }
            }
            try checkKey(of: request)
            return try answer(request)
        } catch {
            return .respond(error.response)
        }
    }

    /// Throws unless a key with the route's right came with the request.
    private func checkKey(of request: Request) throws(RefusedBody) {
        switch request.route {
        // An app has its user's stream in place of a key: the endpoint asks for the one or the other.
        case .transactions, .offers: return
        // Without a console, it is not there for anybody.
        case .userConsole where consoleLinks == nil: return
        case _ where request.right == nil: return
        case _ where request.route.isForOperators && services.authorization.isOfThisMachine(request): return
        default: try services.authorization.require(request.right, of: request)
        }
    }

    private func answer(_ request: Request) throws(RefusedBody) -> Answer {
        switch request.route {
        case .webhook(let provider): WebhookEndpoint(services: services, provider: provider).answer(request)
        case .transactions(let provider): TransactionsEndpoint(services: services, provider: provider).answer(request)
        case .receipts(let provider): try ReceiptsEndpoint(services: services, provider: provider).answer(request)
        case .offers(let provider): OffersEndpoint(services: services, provider: provider).answer(request)
        case .orders: try OrdersEndpoint(services: services).answer(request)
        case .order(let token): try OrderRecordEndpoint(services: services).answer(token, request: request)
        case .user(let user) where request.method == "DELETE":
            try ErasureEndpoint(services: services).answer(user, request: request)
        case .user(let user): try UserRecordEndpoint(services: services).answer(user, request: request)
        case .events: try EventsEndpoint(services: services).answer(request)
        case .search: try SearchEndpoint(services: services).answer(request)
        case .attention: AttentionEndpoint(services: services).answer()
        case .history: try HistoryEndpoint(services: services).answer(request)
        case .event(let id): try EventEndpoint(services: services).answer(id, request: request)
        case .userEvents(let user): try UserEventsEndpoint(services: services).answer(user, request: request)
        case .entitlements(let user): try UsersEndpoint(services: services).entitlements(of: user)
        case .userStream(let user): try UsersEndpoint(services: services).stream(of: user, request: request)
        case .userPages(let user): try UserPagesEndpoint(services: services).answer(user)
        case .claims(let user): try ClaimsEndpoint(services: services, user: user).answer(request)
        case .grants(let user): try GrantsEndpoint(services: services, user: user).grant(request)
        case .grant(let user, let id): try GrantsEndpoint(services: services, user: user).revoke(id, request: request)
        case .audit: try AuditEndpoint(services: services).answer(request)
        case .broadcasts: try BroadcastsEndpoint(services: services).answer(request)
        case .anyCableBroadcasts: try BroadcastsEndpoint(services: services).answerAnyCable(request)
        case .streamEntitlements: EntitlementsEndpoint(services: services).answer(request)
        case .streams: try StreamsEndpoint(services: services).answer(request)
        case .cable: CableEndpoint(services: services).answer(request)
        case .recoveries: try RecoveriesEndpoint(services: services).answer(request)
        case .feed: try FeedEndpoint(services: services).answer(request)
        case .replays: try ReplaysEndpoint(services: services).answer(request)
        case .hooks: HooksEndpoint(services: services).states()
        case .hookTest: HooksEndpoint(services: services).test()
        case .hookDeliveries: try HooksEndpoint(services: services).deliveries(request)
        case .hookResend(let id): try HooksEndpoint(services: services).resend(id, of: request)
        case .script: .respond(ShippedFile.script.answer(request))
        case .nativeScript: .respond(ShippedFile.nativeScript.answer(request))
        case .openAPI: .respond(ShippedFile.openAPI.answer(request))
        case .console: console?(request) ?? .respond(.notFound)
        case .userConsole(let user): consoleLinks?(user, request) ?? .respond(.notFound)
        case .up: .respond(HealthEndpoint.up)
        case .ready: HealthEndpoint(services: services).ready()
        case .metrics: HealthEndpoint(services: services).metrics()
        case .demoStore, .demoEvents, .demoAPI, .server: .respond(.notFound)
        case .file(let path): files.answer(request, path: path)
        }
    }
}
