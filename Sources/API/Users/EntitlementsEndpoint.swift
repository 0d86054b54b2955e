internal import APIModel
internal import Domain
internal import HTTP
internal import Ledger
internal import Pages

/// `GET /entitlements?name=SIGNED`: the part of a user's entitlements that the holder of a signed stream name may see.
///
/// Apps and pages have no API key: the name identifies their user, as at `/streams`. Each answer has a tag, so that
/// asking again costs a few bytes until something has changed.
struct EntitlementsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let origin = CORSAnswer(request, authorization: services.authorization)
        if request.method == "OPTIONS" {
            return .respond(origin.preflight(allowing: request.route.methods, header: "If-None-Match"))
        }
        guard !origin.isRefused else { return .respond(origin.shown(CORSAnswer.refusal)) }
        let user: UserID
        do throws(RefusedClaimant) {
            user = try Claimant.owner(of: request.query["name"] ?? "", services: services)
        } catch {
            return .respond(origin.shown(error.response))
        }
        return .later { [reader = services.reader, known = request.head[.ifNoneMatch]] reply in
            let isTaken = reader.entitlements(of: user) { result in
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
