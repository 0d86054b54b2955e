internal import Concurrency
internal import Domain
internal import StoreInterface

/// A store's API with the keys of the last reload, for threads that run as long as the server.
struct ReloadedStoreAPI: StoreAPI {
    let provider: Provider
    let stores: SharedValue<OpenStores>

    func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        try api().statement(of: contract, now: now)
    }

    func perform(_ job: Job, now: Instant) throws(StoreAPIError) {
        try api().perform(job, now: now)
    }

    /// A reload changes keys and never takes a store away.
    private func api() throws(StoreAPIError) -> any StoreAPI {
        guard let api = stores.value.apis[provider] else { throw .unavailable(reason: "it is not configured") }
        return api
    }
}

/// A store's verifier with the settings of the last reload.
struct ReloadedVerifier: StoreVerifier {
    let provider: Provider
    let stores: SharedValue<OpenStores>

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        guard let verifier = stores.value.verifiers[provider] else { throw .notConfigured }
        return try verifier.verify(delivery, now: now)
    }

    func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try stores.value.verifiers[provider]?.interpret(stored)
    }
}
