/// The parts of a store's API that Paycast uses, served by the development server under `/demo/api/{store}/`.
public protocol StandIn: Sendable {
    /// Returns nil for an unknown address. Called on several threads; may block.
    func answer(_ request: StandInRequest) -> StandInAnswer?
}

public struct StandInRequest: Sendable {
    public var method: String
    /// The path after the store's name, starting with `/`.
    public var path: String
    /// The value of a query parameter, decoded.
    public var query: @Sendable (String) -> String?
    public var authorization: String?
    public var body: [UInt8]

    public init(
        method: String,
        path: String,
        query: @escaping @Sendable (String) -> String? = { _ in nil },
        authorization: String? = nil,
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.body = body
    }
}

/// The body is always JSON.
public struct StandInAnswer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
