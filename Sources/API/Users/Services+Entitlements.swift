import APIModel
import Crypto
import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /users/{user}/entitlements`.
    func entitlements(of user: UserID) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text) else { throw RefusedBody.invalidUserID }
        return answer(asking: { try $0.entitlements(of: user) }) { held in
            let answer = EntitlementsAnswer(
                user: user,
                entitlements: held.entitlements,
                contracts: held.contracts,
                since: held.since
            )
            return JSON.response(200, body: answer)
        }
    }

    /// `GET /users/{user}/stream[?name=SIGNED&name=…]`: with names, one source for the user's stream and theirs.
    func stream(of user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard let addresses = PageAddresses(self, request: request) else { return .respond(Authorization.noSigner) }
        guard let own = streams.stream(for: user) else { throw RefusedBody.invalidUserID }
        let (others, followed) = try beside(own, request.query.all("name"))
        let sendPage = { @Sendable [self] (reply: Reply) in
            ask({ (head: try $0.head(), ending: try $0.ending(of: user)) }, for: reply) { found in
                let page = addresses.page(of: user, with: others, since: found.head, ending: found.ending)
                guard var page else {
                    return reply.send(.unreadable)
                }
                page.html = SourceElement.markup(of: followed, address: page.sse)
                reply.send(JSON.response(200, body: page))
            }
        }
        let locale = try UserLocale(locale: request.query["locale"], timeZone: request.query["time_zone"])
        guard locale != .unknown else { return .later(sendPage) }
        // Stored first, so that everything the page is sent after its cursor is in its language and time zone.
        return .later { [writer, reader] reply in
            UserLocales(writer: writer, reader: reader).note(locale, of: user) { result in
                guard case .success = result, sendPage(reply) else { return reply.send(.unreadable) }
            }
        }
    }
}

extension Services {
    /// The names that a page presents beside its user's, and what it then follows. A key signs no stream but a user's: names
    /// of an app's own streams come from the app.
    private func beside(_ own: StreamName, _ given: [String]) throws(RefusedBody) -> ([String], StreamName) {
        guard !given.isEmpty else { return ([], own) }
        // One place is the user's.
        let tokens = try StreamTokens(given, limit: StreamTokens.limit - 1)
        var (others, followed) = ([String](), [own])
        for (index, token) in tokens.all.enumerated() {
            do throws(StreamNameError) {
                let name = try stream(named: token)
                guard !followed.contains(name.stream) else { continue }
                followed.append(name.stream)
                others.append(token)
            } catch {
                throw tokens.refusal(error, at: index)
            }
        }
        return (others, others.isEmpty ? own : .union(of: followed))
    }
}

extension UserLocale {
    /// As a request says it: a language tag, and the name of a time zone.
    init(locale: String?, timeZone: String?) throws(RefusedBody) {
        let language = locale.flatMap { LanguageTag($0) }
        guard locale == nil || language != nil else { throw RefusedBody.locale }
        let zone = timeZone.flatMap { TimeZoneName($0) }
        guard timeZone == nil || zone.map(ZonedDay.knows) == true else { throw RefusedBody.timeZone }
        self.init(language: language, timeZone: zone)
    }
}

extension RefusedBody {
    /// Of an address.
    static let invalidUserID = RefusedBody(
        "invalid_user",
        message: "A user id must have 1 to 255 bytes and no control characters."
    )
}

extension Services {
    /// `GET /entitlements?name=SIGNED`: the part of a user's entitlements that the holder of a signed stream name may see.
    ///
    /// Apps and pages have no API key: the name identifies their user, as at `/streams`. Each answer has a tag, so that
    /// asking again costs a few bytes until something has changed.
    func streamEntitlements(_ request: Request) -> Answer {
        let origin = CORSAnswer(request, authorization: authorization)
        if request.method == "OPTIONS" {
            return .respond(origin.preflight(allowing: request.route.methods, headers: "If-None-Match"))
        }
        guard !origin.isRefused else { return .respond(origin.shown(CORSAnswer.refusal.response)) }
        let user: UserID
        do throws(RefusedBody) {
            user = try owner(of: request.query["name"] ?? "")
        } catch {
            return .respond(origin.shown(error.response))
        }
        return .later { [reader, known = request.head[.ifNoneMatch]] reply in
            let isTaken = reader.ask({ try $0.entitlements(of: user) }) { result in
                guard case .success(let held) = result else { return reply.send(origin.shown(.unreadable)) }
                let body = JSON.encode(
                    StreamEntitlementsAnswer(user: user, entitlements: held.entitlements, contracts: held.contracts)
                )
                reply.send(origin.shown(Services.response(body, ifNoneMatch: known)))
            }
            if !isTaken { reply.send(origin.shown(.busy)) }
            return true
        }
    }

    /// No proxy may keep the answer for other clients, and the client checks the tag each time.
    static func response(_ body: [UInt8], ifNoneMatch known: String?) -> Response {
        let tag = EntityTag.of(body)
        var headers = [
            ("ETag", tag), ("Cache-Control", "private, no-cache"), ("Access-Control-Expose-Headers", "ETag"),
        ]
        guard !EntityTag.isKnown(tag, ifNoneMatch: known) else { return Response(status: 304, headers: headers) }
        headers.append(("Content-Type", "application/json"))
        return Response(status: 200, headers: headers, body: body)
    }
}

/// Answers `GET /entitlements`: what the holder of a signed stream name may know of its user.
///
/// It is a list of its own, so that nothing that is added to the API's answer reaches pages by accident. It lacks
/// `contract`: Google's is the purchase token, and whoever holds a token may claim its purchase. It lacks `since`, because
/// the ledger's position moves with every user's purchases, and the answer's tag would never match again.
struct StreamEntitlementsAnswer: Codable, Sendable, Equatable {
    var user: UserID
    /// Whether the main entitlement gives access now.
    var active: Bool
    /// By their names.
    var entitlements: [String: EntitlementItem]
    /// What the user holds or held; the contracts that speak for the user come first.
    var contracts: [StreamContractItem]

    init(user: UserID, entitlements: [Entitlement], contracts: [ContractSummary]) {
        self.user = user
        active = entitlements.first?.isActive ?? false
        self.entitlements = EntitlementItem.byName(entitlements.map(\.summary))
        self.contracts = contracts.map { StreamContractItem(ContractItem($0)) }
    }
}

/// The members of `ContractItem` that are for pages.
struct StreamContractItem: Codable, Sendable, Equatable {
    var product: String
    var entitlements: [String]
    @Nullable var group: String?
    var state: String
    var active: Bool
    @Nullable var accessUntil: String?
    @Nullable var autoRenew: Bool?
    var trial: Bool
    @Nullable var trialEndsAt: String?
    @Nullable var pendingProduct: String?
    var provider: String
    var store: String
    var environment: String
    var family: Bool
    var quantity: Int?

    init(_ item: ContractItem) {
        product = item.product
        entitlements = item.entitlements
        state = item.state
        active = item.active
        trial = item.trial
        provider = item.provider
        store = item.store
        environment = item.environment
        family = item.family
        quantity = item.quantity
        group = item.group
        accessUntil = item.accessUntil
        autoRenew = item.autoRenew
        trialEndsAt = item.trialEndsAt
        pendingProduct = item.pendingProduct
    }
}
