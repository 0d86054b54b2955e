import APIModel
import Domain
import HTTP
import Ledger
import Pages

/// `GET /users/{user}/entitlements` and `/stream`.
struct UsersEndpoint {
    let services: Services

    func entitlements(of user: UserID) -> Answer {
        guard isValidIdentifier(user.text) else { return .respond(UsersEndpoint.invalidUser) }
        return .later { [reader = services.reader] reply in
            reader.ask({ try $0.entitlements(of: user) }) { result in
                reply.send(result) { held in
                    let answer = EntitlementsAnswer(
                        user: user,
                        active: held.isActive,
                        entitlements: held.entitlements.map(EntitlementItem.init),
                        since: held.since
                    )
                    return JSON.response(200, body: answer)
                }
            }
        }
    }

    func stream(of user: UserID, request: Request) -> Answer {
        guard let addresses = PageAddresses(services, request: request) else { return .respond(Authorization.noSigner) }
        guard addresses.page(of: user, since: Cursor(epoch: services.epoch, position: 0)) != nil else {
            return .respond(UsersEndpoint.invalidUser)
        }
        let reader = services.reader
        let writer = services.writer
        let sendPage = { @Sendable (reply: Reply) in
            reader.ask({ try $0.head() }) { result in
                guard case .success(let head) = result, var page = addresses.page(of: user, since: head) else {
                    return reply.send(.unreadable)
                }
                page.html = PageAddresses.markup(of: page)
                reply.send(JSON.response(200, body: page))
            }
        }
        guard let locale = request.query["locale"] else { return .later(sendPage) }
        guard let language = LanguageTag(locale) else { return .respond(RefusedBody.locale.response) }
        // Stored first, so that everything the page is sent after its cursor is in its language.
        return .later { reply in
            UserLanguages(writer: writer, reader: reader).note(language, of: user) { result in
                guard case .success = result, sendPage(reply) else { return reply.send(.unreadable) }
            }
        }
    }

    static let invalidUser = Response.error(
        400,
        code: "invalid_user",
        message: "A user id must have 1 to 255 bytes and no control characters."
    )
}

/// `GET /users/{user}[?all=true]`: the current contracts and orders of a user.
struct UserRecordEndpoint {
    let services: Services

    func answer(_ user: UserID, request: Request) -> Answer {
        guard isValidIdentifier(user.text), let stream = services.streams.stream(for: user) else {
            return .respond(UsersEndpoint.invalidUser)
        }
        guard let isWhole = request.query.flag("all") else { return .respond(Response.invalidFlag("all")) }
        return .later { [reader = services.reader] reply in
            reader.ask({ try $0.record(of: user, isWhole: isWhole) }) { result in
                reply.send(result) { found in
                    let answer = UserAnswer(
                        user: user,
                        stream: stream.text,
                        locale: found.language?.text,
                        active: found.isActive,
                        contracts: found.contracts.map(ContractItem.init),
                        orders: found.orders.map(OrderItem.init),
                        since: found.head
                    )
                    return JSON.response(200, body: answer)
                }
            }
        }
    }
}

extension ContractItem {
    fileprivate init(_ record: ContractRecord) {
        let contract = record.tracked.contract
        let charge = contract.transaction?.transaction
        self.init(
            entitlement: EntitlementItem(record.entitlement),
            details: Details(
                app: contract.key.app,
                kind: contract.kind,
                owner: record.tracked.user,
                sharedWith: record.tracked.shares,
                order: contract.token?.value,
                account: contract.account?.value,
                replaces: contract.previousLineage?.value,
                charge: charge,
                statedAt: [contract.snapshot?.snapshot.signedAt, charge?.signedAt].compactMap { $0 }.max()
            )
        )
    }
}

/// `GET /entitlements?name=SIGNED`: the part of a user's entitlements that the holder of a signed stream name may see.
///
/// Apps and pages have no API key: the name identifies their user, as at `/streams`. Each answer has a tag, so that
/// asking again costs a few bytes until something has changed.
struct EntitlementsEndpoint {
    let services: Services

    func answer(_ request: Request) -> Answer {
        let origin = CORSAnswer(request, authorization: services.authorization)
        if request.method == "OPTIONS" {
            return .respond(origin.preflight(allowing: request.route.methods, headers: "If-None-Match"))
        }
        guard !origin.isRefused else { return .respond(origin.shown(CORSAnswer.refusal)) }
        let user: UserID
        do throws(RefusedClaimant) {
            user = try Claimant.owner(of: request.query["name"] ?? "", services: services)
        } catch {
            return .respond(origin.shown(error.response))
        }
        return .later { [reader = services.reader, known = request.head[.ifNoneMatch]] reply in
            let isTaken = reader.ask({ try $0.entitlements(of: user) }) { result in
                guard case .success(let held) = result else { return reply.send(origin.shown(.unreadable)) }
                let body = JSON.encode(
                    StreamEntitlementsAnswer(user: user, active: held.isActive, entitlements: held.entitlements)
                )
                reply.send(origin.shown(EntitlementsEndpoint.response(body, ifNoneMatch: known)))
            }
            if !isTaken { reply.send(origin.shown(.busy)) }
            return true
        }
    }

    /// No proxy may keep the answer for other clients, and the client checks the tag each time.
    private static func response(_ body: [UInt8], ifNoneMatch known: String?) -> Response {
        let tag = EntityTag.of(body)
        var headers = [
            ("ETag", tag), ("Cache-Control", "private, no-cache"), ("Access-Control-Expose-Headers", "ETag"),
        ]
        guard !EntityTag.isKnown(tag, ifNoneMatch: known) else { return Response(status: 304, headers: headers) }
        headers.append(("Content-Type", "application/json"))
        return Response(status: 200, headers: headers, body: body)
    }
}
