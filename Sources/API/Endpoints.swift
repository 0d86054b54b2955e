import APIModel
import Assets
public import Domain
import HTTP
public import Pages

/// Maps each route to the endpoint that answers it.
public struct Endpoints: RequestHandler {
    private let services: Services
    private let files: StaticFiles
    /// Used thousands of times a second, so these three are created only once.
    private let broadcasts: BroadcastsEndpoint
    private let streams: StreamsEndpoint
    private let cable: CableEndpoint
    /// The operators' pages; nil without them. They ask these endpoints for what they show.
    public var console: (@Sendable (Request) -> Answer)?
    /// Whether somebody may come in there now.
    public var isConsoleOpen: @Sendable () -> Bool = { false }
    /// Makes links to those pages, which may be at another address; nil without them.
    public var consoleLinks: (@Sendable (UserID, Request) -> Answer)?

    public init(_ services: Services) {
        self.services = services
        let demo = services.development == nil ? [] : Assets.demo.map { ("demo/\($0.key)", $0.value) }
        files = StaticFiles(
            services.publicFolder,
            builtIn: Dictionary(uniqueKeysWithValues: demo),
            readers: services.workers,
            openFiles: Limits.sentFiles
        )
        broadcasts = BroadcastsEndpoint(services: services)
        streams = StreamsEndpoint(services)
        cable = CableEndpoint(services: services)
    }

    public var hasConsole: Bool { isConsoleOpen() }

    public func refused(_ request: Request, with response: Response) {
        guard case .webhook(let provider) = request.route, request.method == "POST" else { return }
        WebhookEndpoint(services: services, provider: provider).refused(request, with: response)
    }

    public func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict {
        cable.verdict(on: parameters, history: history)
    }

    public func handle(_ request: Request) -> Answer {
        if let development = services.development {
            if let refusal = DevelopmentGuard(services.authorization).refusal(of: request) { return .respond(refusal) }
            if let answer = development.answer(request) { return answer }
        }
        switch request.route {
        case .webhook(let provider): return WebhookEndpoint(services: services, provider: provider).answer(request)
        case .transactions(let provider):
            return TransactionsEndpoint(services: services, provider: provider).answer(request)
        case .receipts(let provider):
            return trusted(request, answer: ReceiptsEndpoint(services: services, provider: provider).answer)
        case .offers(let provider): return OffersEndpoint(services: services, provider: provider).answer(request)
        case .orders: return trusted(request, answer: OrdersEndpoint(services: services).answer)
        case .order(let token):
            return trusted(request) { OrderRecordEndpoint(services: services).answer(token, request: $0) }
        case .user(let user) where request.method == "DELETE":
            return trusted(request) { ErasureEndpoint(services: services).answer(user, request: $0) }
        case .user(let user):
            return trusted(request) { UserRecordEndpoint(services: services).answer(user, request: $0) }
        case .events: return trusted(request, answer: EventsEndpoint(services: services).answer)
        case .search: return trusted(request, answer: SearchEndpoint(services: services).answer)
        case .attention: return trusted(request) { _ in AttentionEndpoint(services: services).answer() }
        case .history: return trusted(request, answer: HistoryEndpoint(services: services).answer)
        case .event(let id): return trusted(request) { EventEndpoint(services: services).answer(id, request: $0) }
        case .userEvents(let user):
            return trusted(request) { UserEventsEndpoint(services: services).answer(user, request: $0) }
        case .entitlements(let user):
            return trusted(request) { _ in UsersEndpoint(services: services).entitlements(of: user) }
        case .userStream(let user):
            return trusted(request) { UsersEndpoint(services: services).stream(of: user, request: $0) }
        case .userPages(let user): return trusted(request) { _ in UserPagesEndpoint(services: services).answer(user) }
        case .claims(let user): return trusted(request, answer: ClaimsEndpoint(services: services, user: user).answer)
        case .grants(let user): return trusted(request, answer: GrantsEndpoint(services: services, user: user).grant)
        case .grant(let user, let id):
            return trusted(request) { GrantsEndpoint(services: services, user: user).revoke(id, request: $0) }
        case .audit: return trusted(request, answer: AuditEndpoint(services: services).answer)
        case .broadcasts: return trusted(request, answer: broadcasts.answer)
        case .anyCableBroadcasts: return trusted(request, answer: broadcasts.answerAnyCable)
        case .streamEntitlements: return EntitlementsEndpoint(services: services).answer(request)
        case .streams: return streams.answer(request)
        case .cable: return cable.answer(request)
        case .recoveries: return trusted(request, answer: RecoveriesEndpoint(services: services).answer)
        case .feed: return trusted(request, answer: FeedEndpoint(services: services).answer)
        case .replays: return trusted(request, answer: ReplaysEndpoint(services: services).answer)
        case .hooks: return trusted(request) { _ in HooksEndpoint(services: services).states() }
        case .hookTest: return trusted(request) { _ in HooksEndpoint(services: services).test() }
        case .hookDeliveries: return trusted(request, answer: HooksEndpoint(services: services).deliveries)
        case .hookResend(let id): return trusted(request) { HooksEndpoint(services: services).resend(id, of: $0) }
        case .script: return .respond(ShippedFile.script.answer(request))
        case .nativeScript: return .respond(ShippedFile.nativeScript.answer(request))
        case .openAPI: return .respond(ShippedFile.openAPI.answer(request))
        case .console: return console?(request) ?? .respond(.notFound)
        case .userConsole(let user):
            guard let consoleLinks else { return .respond(.notFound) }
            return trusted(request) { consoleLinks(user, $0) }
        case .up: return .respond(HealthEndpoint.up)
        case .ready: return HealthEndpoint(services: services).ready(request)
        case .metrics: return HealthEndpoint(services: services).metrics(request)
        case .demoStore, .demoEvents, .demoAPI, .server: return .respond(.notFound)
        case .file(let path): return files.answer(request, path: path)
        }
    }

    private func trusted(_ request: Request, answer: (Request) throws(RefusedBody) -> Answer) -> Answer {
        if let refusal = services.authorization.refusal(of: request) { return .respond(refusal) }
        do { return try answer(request) } catch { return .respond(error.response) }
    }
}
