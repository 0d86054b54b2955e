/// The app's rules of access.
public struct AccessPolicy: Sendable, Equatable {
    public enum SandboxUsers: Sendable, Equatable {
        case all
        case only(Set<UserID>)
    }

    /// For whom a Sandbox purchase opens access (`PAYCAST_SANDBOX_USERS`). `all` on a server that serves Sandbox only, in development, and for `*`.
    public var sandboxUsers: SandboxUsers
    public var catalog: Catalog
    public var transfers: TransferPolicy
    /// Stores whose API this server has the key of: they are asked before the end of a period is believed, and told whose
    /// a purchase is.
    public var apis: Set<Provider>
    /// How long access outlasts a period whose renewal is expected: notifications come seconds late, RevenueCat's a minute
    /// (https://www.revenuecat.com/docs/integrations/webhooks), and a store has to be asked.
    public var leeway: Duration

    public init(
        sandboxUsers: SandboxUsers,
        catalog: Catalog = Catalog(),
        transfers: TransferPolicy = .transfer,
        apis: Set<Provider> = [],
        leeway: Duration = .zero
    ) {
        self.sandboxUsers = sandboxUsers
        self.catalog = catalog
        self.transfers = transfers
        self.apis = apis
        self.leeway = leeway
    }

    public func opensAccess(for user: UserID, in environment: StoreEnvironment) -> Bool {
        switch (environment, sandboxUsers) {
        case (.production, _), (.sandbox, .all): true
        case (.sandbox, .only(let users)): users.contains(user)
        }
    }
}
