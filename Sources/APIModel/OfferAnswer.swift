/// Answers `POST /offers/{store}`.
public struct OfferAnswer: Codable, Sendable, Equatable {
    /// What the app hands to the store: a JWS in its compact form.
    public var jws: String

    public init(jws: String) {
        self.jws = jws
    }
}
