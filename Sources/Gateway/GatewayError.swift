/// Why the gateway could not start.
public enum GatewayError: Error, Equatable, CustomStringConvertible {
    case cannotListen(address: String, port: Int)

    public var description: String {
        switch self {
        case .cannotListen(let address, let port):
            "cannot listen on \(address):\(port): is the port in use, or the package libwebsockets-evlib-uv missing? "
                + "Choose another port with --port, or --port 0 for any free one."
        }
    }
}
