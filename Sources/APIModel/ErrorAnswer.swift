/// The body of every refusal, whatever the route.
public struct ErrorAnswer: Codable, Sendable, Equatable {
    /// A code for programs, in `snake_case`.
    public var error: String
    /// One sentence for people, without secrets from the request.
    public var message: String

    public init(error: String, message: String) {
        self.error = error
        self.message = message
    }
}
