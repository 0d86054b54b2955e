/// Why there is no WebSocket, or none any more. Names the origin only, because addresses may carry signed names.
public struct WebSocketError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Equatable, Sendable {
        case invalidAddress(String)
        /// Nothing listens there.
        case refused
        case unknownHost
        case timedOut
        case certificate(CertificateFlaw)
        /// There is no TLS at that port, or another one.
        case noTLS
        case proxy(String)
        /// An answer of HTTP in place of the upgrade.
        case status(Int)
        /// The answer to the upgrade breaks the rules of RFC 6455, §4.1.
        case handshake(String)
        /// A frame breaks the rules of RFC 6455, §5.
        case violation(String)
        /// A message of more than 4 MiB.
        case tooLarge
        /// No sign of life, not even to a ping.
        case silent
        /// The other side has said that it ends. The text is its own.
        case closed(Int, String)
        /// The connection has ended without a word.
        case brokenOff
        case noMemory
    }

    /// `ws://host:port`.
    public let origin: String
    public let kind: Kind

    public var description: String {
        switch kind {
        case .invalidAddress(let reason): "not a usable address: \(reason)"
        case .refused: "nothing answers at \(origin): is the server running there?"
        case .unknownHost: "no such host: \(origin); check the address and the name server"
        case .timedOut: "\(origin) has opened no WebSocket in time: is it overloaded, or behind a firewall?"
        case .certificate(let flaw): "the certificate of \(origin) is not trusted: \(flaw)"
        case .noTLS: "\(origin) does not speak TLS: is the port right?"
        case .proxy(let reason): "\(origin) cannot be reached through the proxy of the environment: \(reason)"
        case .status(let status): "\(origin) answers \(status) and opens no WebSocket\(todo(status))"
        case .handshake(let reason): "\(origin) does not open a WebSocket as RFC 6455 has it: \(reason)"
        case .violation(let reason): "\(origin) breaks the rules of WebSockets: \(reason)"
        case .tooLarge: "\(origin) sends a message of more than 4 MiB: is that the right address?"
        case .silent: "\(origin) has gone silent"
        // libwebsockets 4.1 puts 1002 in the place of codes that were registered later, 1012 to 1014 among them.
        case .closed(1002, let reason): "\(origin) has closed the WebSocket (1002, or a newer code)\(quoting(reason))"
        case .closed(let code, let reason): "\(origin) has closed the WebSocket (\(code))\(quoting(reason))"
        case .brokenOff: "\(origin) has ended the connection"
        case .noMemory: "libwebsockets does not start: is there memory left?"
        }
    }

    /// Whether another attempt may go better.
    public var mayPass: Bool {
        switch kind {
        case .refused, .unknownHost, .timedOut, .silent, .closed, .brokenOff: true
        case .status(let status): status == 429 || status >= 500
        default: false
        }
    }

    private func quoting(_ reason: String) -> String { reason.isEmpty ? "" : ": \(reason)" }

    private func todo(_ status: Int) -> String {
        switch status {
        case 200: ": does a proxy there keep the upgrade to itself?"
        case 300..<400: ": it redirects, which no page's WebSocket follows; give the final address"
        case 401, 403: ": it refuses the name, or the origin"
        case 404: ": is that the address of a Paycast server, or of Action Cable?"
        default: ""
        }
    }
}
