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
        services.verdict(on: parameters, history: history)
    }

    public func handle(_ request: Request) -> Answer {
        do throws(RefusedBody) {
            if let development = services.development {
                try services.authorization.guardDevelopment(from: request)
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
        case .transactions, .receipts, .offers, .purchases: return
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
        case .transactions(let provider): services.transaction(provider, request)
        case .receipts(let provider): services.receipt(provider, request)
        case .offers(let provider): services.offer(provider, request)
        case .orders: try services.createOrder(request)
        case .order(let token): services.order(token, request)
        case .user(let user) where request.method == "DELETE": try services.erase(user, request)
        case .user(let user): try services.user(user, request)
        case .events: try services.events(request)
        case .search: try services.search(request)
        case .attention: services.attention()
        case .history: try services.counted(request)
        case .event(let id): try services.event(id, request)
        case .userEvents(let user): try services.userEvents(user, request)
        case .entitlements(let user): try services.entitlements(of: user)
        case .userPurchases(let user): try services.purchases(of: user, request)
        case .purchases: try services.purchases(request)
        case .userStream(let user): try services.stream(of: user, request)
        case .userPages(let user) where request.method == "DELETE": try services.endPages(of: user, request)
        case .userPages(let user): try services.userPages(user)
        case .claims(let user): try services.claim(for: user, request)
        case .refund(let transaction) where request.method == "GET": services.refundQuestion(transaction)
        case .refund(let transaction): try services.refund(transaction, request)
        case .grants(let user): try services.grant(to: user, request)
        case .grant(let user, let id): try services.revoke(id, of: user, request)
        case .audit: try services.audit(request)
        case .broadcasts: try services.broadcasts(request)
        case .anyCableBroadcasts: try services.anyCableBroadcasts(request)
        case .catalog: services.catalog(request)
        case .streamEntitlements: services.streamEntitlements(request)
        case .streams: try services.stream(request)
        case .cable: services.cable(request)
        case .recoveries: try services.recover(request)
        case .recovery(let id): services.recovery(id)
        case .feed: try services.feed(request)
        case .replays: try services.replays(request)
        case .hooks: services.hookStates()
        case .hookTest: services.testHooks()
        case .hookDeliveries: try services.hookDeliveries(request)
        case .hookResend(let id): try services.resendHook(id, request)
        case .script: .respond(ShippedFile.script.answer(request))
        case .nativeScript: .respond(ShippedFile.nativeScript.answer(request))
        case .openAPI: .respond(ShippedFile.openAPI.answer(request))
        case .console: console?(request) ?? .respond(.notFound)
        case .userConsole(let user): consoleLinks?(user, request) ?? .respond(.notFound)
        case .up: .respond(Response(status: 200, contentType: "text/plain; charset=utf-8", body: "up\n"))
        case .ready: services.ready()
        case .metrics: services.metricsPage()
        case .demoStore, .demoEvents, .demoAPI, .server: .respond(.notFound)
        case .file(let path): files.answer(request, path: path)
        }
    }
}
