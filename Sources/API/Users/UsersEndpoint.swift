internal import APIModel
internal import Domain
internal import HTTP
internal import Ledger
internal import Pages

/// `GET /users/{user}/entitlements` and `/stream`.
struct UsersEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func entitlements(of user: UserID) -> Answer {
        guard isValidIdentifier(user.text) else { return .respond(UsersEndpoint.invalidUser) }
        return .later { [reader = services.reader] reply in
            reader.entitlements(of: user) { result in
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
            reader.head { result in
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
