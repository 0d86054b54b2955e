/// The body of `POST /users/{user}/claims`.
public struct ClaimRequest: Codable, Sendable, Equatable {
    /// The store's id of an event of the purchase.
    public var event: String
    /// For the audit.
    public var reason: String

    public init(event: String, reason: String) {
        self.event = event
        self.reason = reason
    }
}
