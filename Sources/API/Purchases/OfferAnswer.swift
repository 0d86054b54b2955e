import APIModel
import Domain
import Pages
import Stores
import Support

extension Services {
    /// `POST /offers/{store}`: signs an offer that the store sells to nobody without the seller's word. A signature is money
    /// given away, so the backend decides with the API key who gets one. An app that has only its user's stream gets those
    /// that the operator has opened to everybody.
    func offer(_ provider: Provider, _ request: Request) -> Answer {
        guard let offer = storeTypes[provider]?.offers else { return .respond(.notFound) }
        return answer(on: .strangers) { [self] in signed(offer, of: provider, for: request) }
    }

    private func signed<Offer: RequestedOffer>(
        _: Offer.Type,
        of provider: Provider,
        for request: Request
    ) -> Response {
        let authorization = authorization
        let refusal = authorization.refusal(of: request)
        let offer: Offer
        do throws(RefusedBody) {
            let node = try RefusedBody.object(request.body)
            offer = try Offer(node)
            let origin = CORSAnswer(request, authorization: authorization)
            _ = try user(of: Claimant(of: node), refusal: refusal, origin: origin)
        } catch {
            return error.response
        }
        guard let store = opened[provider] as? Offer.Opened else { return .refused(.notConfigured) }
        guard refusal == nil || offer.isOpen(at: store) else {
            let message = "Only the backend may have this offer signed, with its API key; see \(Offer.setting)."
            return .error(403, code: "offer_not_open", message: message)
        }
        do throws(RefusedOffer) {
            return JSON.response(200, body: OfferAnswer(jws: try offer.sign(with: store, now: clock.now())))
        } catch {
            switch error {
            case .unserved(let error): return .refused(error)
            case .incomplete(let error): return error.response
            case .noKey(let variable):
                let message = "No key signs offers: set \(variable)."
                return .unavailable("not_configured", message: message, retryAfter: 3600)
            }
        }
    }
}

/// Answers `POST /offers/{store}`.
struct OfferAnswer: Codable, Sendable, Equatable {
    /// What the app hands to the store: a JWS in its compact form.
    var jws: String
}
