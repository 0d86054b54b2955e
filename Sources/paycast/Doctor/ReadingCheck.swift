internal import Domain
internal import Server
internal import Simulator
internal import Stores

/// Whether Google and Stripe let us read: asks for a purchase that nobody has made.
struct ReadingCheck {
    let apis: StoreAPIs
    let now: Instant

    /// Whether the service account may read purchases. Nil without one: its settings tell.
    func google(_ packages: Set<String>) -> Finding? {
        guard let api = apis.google(clock: { [now] in now }) else { return nil }
        let package = packages.min() ?? SimulatedGooglePlay.package
        let contract = ContractKey(provider: .google, environment: .production, app: package, lineage: id)
        return ask(api, "Google API", contract, "the service account reads purchases of \(package)")
    }

    /// Whether the key may read subscriptions.
    func stripe(isDevelopment: Bool) -> Finding {
        guard let api = apis.stripe else {
            let detail = "no key: of two changes within a second the wrong one may stay; set PAYCAST_STRIPE_API_KEY"
            return isDevelopment ? .ok("Stripe API", "is not asked: no key is set") : .warn("Stripe API", detail)
        }
        let environment = StoreEnvironment.allCases.first(where: api.reads) ?? .production
        let contract = ContractKey(provider: .stripe, environment: environment, app: "stripe", lineage: "sub_" + id)
        return ask(api, "Stripe API", contract, "the key reads subscriptions")
    }

    /// Only whoever may read is told that there is none.
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

    private var id: String { "paycastdoctor" }
}
