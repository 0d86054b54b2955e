import CWebSockets

/// A blocking WebSocket (RFC 6455) over the client role of libwebsockets. It verifies certificates, follows no redirects
/// and offers no compression.
public struct WebSocketClient: Sendable {
    public enum Event {
        /// The upgrade was accepted.
        case opened
        /// A whole message.
        case text(String)
        /// About once a second.
        case tick
    }

    let url: RequestURL
    /// As errors name the other side.
    let origin: String
    let subprotocol: String?
    let pageOrigin: String
    let authorityFile: String?
    let proxy: String?

    /// What libwebsockets can write: it cuts off longer ones.
    private static let (longestPath, longestHost) = (2000, 95)

    /// `url` is the `http` or `https` form of the address; `page` is the origin of the page that is said to open it.
    /// `authorityFile`, in PEM, replaces the authorities that the system trusts. `environment` may name a proxy.
    public init(
        _ url: RequestURL,
        subprotocol: String? = nil,
        page: String? = nil,
        authorityFile: String? = nil,
        environment: [String: String] = [:]
    ) throws(WebSocketError) {
        self.url = url
        origin = "ws" + url.origin.dropFirst(4)
        self.subprotocol = subprotocol
        pageOrigin = page ?? url.origin
        self.authorityFile = authorityFile
        let fault =
            switch url {
            case _ where url.path.utf8.count > WebSocketClient.longestPath: "it is longer than 2,000 bytes"
            case _ where max(url.host.utf8.count, pageOrigin.utf8.count) > WebSocketClient.longestHost:
                "its name, or the page's, is longer than 95 bytes"
            case _ where (url.path + pageOrigin).utf8.contains { $0 <= 32 }: "it has spaces, or the page's has"
            case _ where url.isSecure && url.host.hasPrefix("["):
                "libwebsockets checks no certificate of an IPv6 address; give its name"
            default: String?.none
            }
        if let fault { throw WebSocketError(origin: origin, kind: .invalidAddress(fault)) }
        do throws(ProxyFault) {
            proxy = try ProxySetting.address(for: url, in: environment)
        } catch {
            throw WebSocketError(origin: origin, kind: .proxy(error.reason))
        }
    }

    /// Opens it and calls `handle`, on this thread, with whatever happens, and with what sends a text. Returns when that
    /// returns false.
    ///
    /// Throws when it is not open after 10 s, and after 45 s without a sign of life.
    public func follow(_ handle: (Event, (String) -> Void) -> Bool) throws(WebSocketError) {
        let failure = withoutActuallyEscaping(handle) { handle in
            Session(self, handle: handle).run()
        }
        if let failure { throw WebSocketError(origin: origin, kind: failure) }
    }
}

/// The version of libwebsockets that is loaded, for `paycast version`.
public let libwebsocketsVersion = String(cString: lws_get_library_version()).prefix { $0 != "-" }.description
