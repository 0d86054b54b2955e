import Crypto
public import Domain
import Encoding

/// The `<turbo-stream-source>` element of a page, addressed by the signatures in its `src`.
///
/// A stream can replace anything, so it can replace its own source without any script of ours: the old element leaves
/// and its socket closes, a new one enters and opens another. Turbo itself never reopens a WebSocket, and reads `src`
/// only when the element enters the page
/// (https://github.com/hotwired/turbo/blob/main/src/elements/stream_source_element.js).
public struct SourceElement: Sendable, Equatable {
    /// Genuine: their last 64 bytes are hexadecimal. Apart, since most have no others: an array of one is memory for each page.
    private let signedName: String
    private let others: [String]
    /// The host under which the page reached us.
    private let host: String

    /// Stores only the parts: nearly every page leaves before its element is told anything, so markup is made late.
    public init(signedName: String, others: [String] = [], host: String) {
        self.signedName = signedName
        self.others = others
        self.host = host
    }

    private var signedNames: [String] { [signedName] + others }

    /// Half of a signature is unique enough.
    private var selector: String {
        "turbo-stream-source" + signedNames.map { "[src*='\($0.suffix(64).prefix(32))']" }.joined()
    }

    /// Without a scheme, so that the page's own applies, and without `since`.
    private var address: String { "//\(AddressText.host(host))\(SourceElement.path(of: signedNames))" }

    /// Where a page follows the streams of these names, without `since`.
    public static func path(of signedNames: [String]) -> String {
        "/streams?" + signedNames.map { "name=\(AddressText.queryEscaped($0))" }.joined(separator: "&")
    }

    /// Replaces the element by one that reconnects by itself: an `EventSource` survives a restart.
    public func replacement(on stream: StreamName, since cursor: String) -> [UInt8] {
        let template = "<template>\(SourceElement.markup(of: stream, address: "\(address)&since=\(cursor)"))</template>"
        return Array("<turbo-stream action=\"replace\" targets=\"\(selector)\">\(template)</turbo-stream>".utf8)
    }

    /// Removes the element and reloads the page, so that the app renders a source with a valid name. A morph would keep
    /// the element, and with it the old name.
    public var renewal: [UInt8] {
        Array("<turbo-stream action=\"remove\" targets=\"\(selector)\"></turbo-stream>".utf8) + TemplateRenderer.refresh
    }

    /// The element that opens `stream` at `address`, ready for a page.
    ///
    /// Its id names the stream, because morphing keeps an element without one: the page of another user, rendered at the
    /// same address, would only change its `src` and go on hearing the old stream
    /// (https://github.com/hotwired/turbo/pull/1287). An element with another id is replaced.
    public static func markup(of stream: StreamName, address: String) -> String {
        "<turbo-stream-source id=\"\(id(of: stream))\" src=\"\(HTMLEscaping.escape(address))\"></turbo-stream-source>"
    }

    /// A digest fits into an id, whatever the name consists of.
    private static func id(of stream: StreamName) -> String {
        "paycast-\(Hex.encode(SHA256.hash(Array(stream.text.utf8))).prefix(16))"
    }
}
