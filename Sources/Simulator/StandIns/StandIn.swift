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
    public var query: @Sendable (String) -> String? = { _ in nil }
    public var authorization: String?
    public var body: [UInt8] = []
}

extension StandInRequest {
    public init(method: String, path: String, body: [UInt8] = []) {
        self.init(method: method, path: path, authorization: nil, body: body)
    }
}

/// The body is always JSON.
public struct StandInAnswer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)] = []
    public var body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
