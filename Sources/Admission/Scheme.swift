/// How a page reached us.
public enum Scheme: String, Sendable {
    case http, https

    public var webSocket: String { self == .https ? "wss" : "ws" }
}
