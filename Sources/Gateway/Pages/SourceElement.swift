internal import TurboStreams

/// The `<turbo-stream-source>` element of a page, addressed by the signature in its `src`.
///
/// A stream can replace anything, so it can replace its own source: the element leaves and its socket closes, another
/// enters and opens a new one, without any script of ours. Turbo itself never reopens a WebSocket, and looks at `src`
/// only when the element enters the page
/// (https://github.com/hotwired/turbo/blob/main/src/elements/stream_source_element.js).
public struct SourceElement: Sendable, Equatable {
    /// It has been verified: its last 64 bytes are hexadecimal.
    private let signedName: String
    /// Where the page reached us.
    private let host: String

    /// Nearly every page leaves without a word having been said to its element: what is said is made when it is.
    public init(signedName: String, host: String) {
        self.signedName = signedName
        self.host = host
    }

    /// Half of the signature is unique enough.
    private var selector: String { "turbo-stream-source[src*='\(signedName.suffix(64).prefix(32))']" }

    /// Without a scheme, which is the page's own, and without `since`.
    private var address: String {
        "//\(AddressText.host(host))/streams?name=\(AddressText.queryEscaped(signedName))"
    }

    /// Puts an element that reconnects by itself in its place: an `EventSource` survives a restart.
    func replacement(since cursor: String) -> [UInt8] {
        let source = HTML.escape("\(address)&since=\(cursor)")
        let template = "<template><turbo-stream-source src=\"\(source)\"></turbo-stream-source></template>"
        return Array("<turbo-stream action=\"replace\" targets=\"\(selector)\">\(template)</turbo-stream>".utf8)
    }

    /// Takes the element away and loads the page again: the app renders a source with a name that is still good. A
    /// morph would keep the element, and with it the old name.
    var renewal: [UInt8] {
        Array("<turbo-stream action=\"remove\" targets=\"\(selector)\"></turbo-stream>".utf8) + Renderer.refresh
    }
}
