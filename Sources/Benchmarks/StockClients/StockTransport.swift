/// The stock clients, by what a page opens with them.
public enum StockTransport: String, CaseIterable, Sendable {
    case eventSource = "EventSource"
    case cable = "Action Cable"
    case anyCable = "AnyCable"
    case webSocket = "WebSocket"

    /// Those that reconnect by themselves.
    public static let returning = [eventSource, cable, anyCable]

    /// A page that was rendered at the cursor `since`, and connects at `wakeAt`.
    public func client(path: String, signedName: String, since: String, wakeAt: UInt64) -> any StockClient {
        let path = path + "&since=" + since
        let subscription = CableSubscription(signedName: signedName, since: since)
        return switch self {
        case .eventSource: EventSourceClient(path: path, wakeAt: wakeAt)
        case .cable: CableClient(subscription, wakeAt: wakeAt)
        case .anyCable: AnyCableClient(subscription, wakeAt: wakeAt)
        case .webSocket: WebSocketClient(path: path, wakeAt: wakeAt)
        }
    }
}
