internal import Fragments

/// The `<turbo-stream-source>` element of a page, addressed by the signature in its `src`.
///
/// A stream can replace anything, so it can replace its own source: the element leaves and its socket closes, another
/// enters and opens a new one, without any script of ours. Turbo itself never reopens a WebSocket, and looks at `src`
/// only when the element enters the page
/// (https://github.com/hotwired/turbo/blob/main/src/elements/stream_source_element.js).
public struct SourceElement: Sendable, Equatable {
    /// Without a scheme, which is the page's own, and without `since`.
    private let address: String
    /// Hexadecimal digits, unique for a signed name.
    private let signature: String

    /// `signedName` has been verified: its last 64 bytes are hexadecimal. `host` is where the page reached us.
    init(signedName: String, host: String) {
        signature = String(signedName.suffix(64).prefix(32))
        address = "//\(AddressText.host(host))/streams?name=\(AddressText.queryEscaped(signedName))"
    }

    private var selector: String { "turbo-stream-source[src*='\(signature)']" }

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
