/// Answers `POST /users/{user}/console`.
public struct ConsoleLinkAnswer: Codable, Sendable, Equatable {
    /// Opens the user's page of the console, once and within 60 seconds.
    public var url: String

    public init(url: String) {
        self.url = url
    }
}
