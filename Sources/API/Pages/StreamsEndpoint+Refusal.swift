internal import Crypto
internal import HTTP
internal import Pages
internal import Support

/// The answer to a name that was not accepted: an expired one makes the page reload, any other is answered 403.
extension StreamsEndpoint {
    /// Refuses a forged name. Loading the page again cures an expired one, so the page is told to reload until it is
    /// clear that this brings no new name. From then on its element stays as it is: an event stream may ask again.
    func refuse(_ error: StreamNameError, request: Request, origin: String?) -> Answer {
        guard error == .expired else {
            services.refusals.name(hasKey: services.authorization.canSign)
            return .respond(
                .error(403, code: "forged_stream_name", message: "The name is not signed with a key of this server.")
            )
        }
        let token = request.query["name"] ?? ""
        guard services.endedNames.mayReload(token) else {
            return .respond(request.isWebSocket ? StreamsEndpoint.expired : EventStream.wait(allowedOrigin: origin))
        }
        services.telemetry.healed.add()
        let source = SourceElement(signedName: token, host: request.host)
        guard request.isWebSocket else {
            return .respond(EventStream.expired(source, allowedOrigin: origin))
        }
        return .open(.expired(source, now: services.clock.now()))
    }

    private static let expired = Response.error(
        403,
        code: "expired_stream_name",
        message: "The name has expired, and loading the page again has brought the same one: render it anew."
    )
}
