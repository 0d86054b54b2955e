internal import Domain
internal import Server
internal import Stores

/// Whether Google and Stripe let us read: asks for a purchase that does not exist.
struct ReadingCheck {
    let apis: StoreAPIs
    let now: Instant

    /// Whether the service account may read purchases. Nil without an account: `GoogleCheck` reports that.
    func google() -> Finding? {
        guard let api = apis.google(clock: { [now] in now }), let contract = apis.nobodysPurchase(at: .google) else {
            return nil
        }
        return ask(api, "Google API", contract, "the service account reads purchases of \(contract.app)")
    }

    /// Whether the key may read subscriptions.
    func stripe(isDevelopment: Bool) -> Finding {
        guard let api = apis.stripe, let contract = apis.nobodysPurchase(at: .stripe) else {
            let detail = "no key: of two changes within a second the wrong one may stay; set PAYCAST_STRIPE_API_KEY"
            return isDevelopment ? .ok("Stripe API", "is not asked: no key is set") : .warn("Stripe API", detail)
        }
        return ask(api, "Stripe API", contract, "the key reads subscriptions")
    }

    /// Asks for a purchase that does not exist. A store answers "not found" only to a key that may read purchases.
    private func ask(
        _ api: any StoreAPI,
        _ name: String,
        _ contract: ContractKey,
        _ success: String
    ) -> Finding {
        do throws(StoreAPIError) {
            _ = try api.statement(of: contract, now: now)
            return .ok(name, success)
        } catch {
            switch error {
            case .unavailable(let reason, _): return .fail(name, "no answer: \(reason)")
            case .unauthorized, .refused, .unreadable: return .fail(name, "\(error)")
            }
        }
    }
}
