public import Domain

/// The body of `POST /broadcasts`, or one item of an array of 1 to 100. Absent members and null mean the same.
public struct BroadcastRequest: Codable, Sendable, Equatable {
    /// The name of a stream; or else `user`.
    public var stream: String?
    /// Whose stream it is; or else `stream`.
    public var user: UserID?
    /// Whole `<turbo-stream>` elements, or with `action` the markup inside one.
    public var html: String?
    /// The action of the `<turbo-stream>`, such as `append`. A template without one replaces.
    public var action: String?
    /// The id of the element to change; a template with one element has its id.
    public var target: String?
    /// A selector of the elements to change.
    public var targets: String?
    /// The name of a template, in place of `html`.
    public var template: String?
    /// The template's values by name.
    public var values: [String: String]?
    /// Whether the fragment stays out of the ledger; false if absent.
    public var transient: Bool?

    public init(stream: String? = nil, user: UserID? = nil) {
        self.stream = stream
        self.user = user
    }
}

/// Answers `POST /broadcasts`.
public struct BroadcastAnswer: Codable, Sendable, Equatable {
    /// One for each fragment, in the order of the request; null for a transient one, which has no position.
    public var cursors: [String?]
}
