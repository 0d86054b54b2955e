public import Support

/// A key of the API routes.
public struct AccessKey: Sendable, Equatable {
    /// Who presents it.
    public let name: String
    public let rights: Set<Right>
    public let secret: Secret

    public init(name: String, rights: Set<Right>, secret: Secret) {
        self.name = name
        self.rights = rights
        self.secret = secret
    }

    /// The name of the keys of `PAYCAST_API_KEY`.
    public static let everything = "api"

    /// A key of `PAYCAST_API_KEY`, which may do everything.
    public init(_ secret: Secret) {
        self.init(name: AccessKey.everything, rights: Set(Right.allCases), secret: secret)
    }
}
