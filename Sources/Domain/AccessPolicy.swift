/// For whom a Sandbox purchase opens access (`PAYCAST_SANDBOX_USERS`).
public struct AccessPolicy: Sendable, Equatable {
    public enum SandboxUsers: Sendable, Equatable {
        case all
        case only(Set<String>)
    }

    /// `all` on a server that serves Sandbox only, in development, and for `*`.
    public var sandboxUsers: SandboxUsers

    public init(sandboxUsers: SandboxUsers) {
        self.sandboxUsers = sandboxUsers
    }

    public func opensAccess(for user: String, in environment: StoreEnvironment) -> Bool {
        switch (environment, sandboxUsers) {
        case (.production, _), (.sandbox, .all): true
        case (.sandbox, .only(let users)): users.contains(user)
        }
    }
}
