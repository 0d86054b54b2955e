public import Domain

/// All fragments of one ledger entry for one stream. They travel in one frame, so that a connection that drops between
/// two of them cannot lose one.
public struct Message: Sendable, Equatable {
    public let stream: StreamName
    /// The entry's position in the ledger; nil for a transient message, which is lost for a page that misses it.
    public let position: Int64?
    /// In the order in which a page applies them.
    public let parts: [Part]

    public init(stream: StreamName, position: Int64?, parts: [Part]) {
        self.stream = stream
        self.position = position
        self.parts = parts
    }

    /// The text of the frame.
    public var html: [UInt8] {
        if parts.count == 1 { return parts[0].html }
        var frame = FrameHTML()
        for part in parts { frame.append(part) }
        return frame.bytes
    }

    /// Its weight in a queue, in bytes.
    public var cost: Int { parts.reduce(0) { $0 + $1.cost } }

    /// Whether it makes pages reload.
    public var hasRefresh: Bool { parts.contains(where: \.isRefresh) }
}

/// One rendered `<turbo-stream>` element.
public struct Part: Sendable, Equatable {
    public let html: [UInt8]
    /// A newer part with the same key replaces this one while it waits in a queue (`Fragment.collapseKey`).
    public let collapseKey: CollapseKey?
    /// Whether it makes the page reload. A refresh may stand for the state of a target that has no template. Then it
    /// has the key of that target and replaces older parts, as any other state would.
    public let isRefresh: Bool

    public init(html: [UInt8], collapseKey: CollapseKey?, isRefresh: Bool = false) {
        self.html = html
        self.collapseKey = collapseKey
        self.isRefresh = isRefresh
    }

    /// Its weight in a queue: its bytes plus roughly the overhead of a part, so that empty parts count too.
    var cost: Int { html.count + 64 }
}

extension Sequence<Message> {
    /// What pages get that follow the streams of these messages over one connection: in the ledger's order, and what one
    /// entry says on several streams at once, since the page's cursor passes all of it.
    public func joined(on union: StreamName) -> [Message] {
        var joined: [Message] = []
        for message in sorted(by: { $0.position ?? .max < $1.position ?? .max }) {
            let isSameEntry = message.position != nil && joined.last?.position == message.position
            let before = isSameEntry ? joined.removeLast().parts : []
            joined.append(Message(stream: union, position: message.position, parts: before + message.parts))
        }
        return joined
    }
}

extension Message {
    /// A message that has no entry in the ledger.
    public init(transient fragment: Fragment, renderer: TemplateRenderer) {
        self.init(stream: fragment.stream, position: nil, parts: [Part(fragment, renderer: renderer)])
    }

    /// The fragments of one entry for one stream, each rendered once.
    public init(position: Int64, fragments: [Fragment], on stream: StreamName, renderer: TemplateRenderer) {
        self.init(stream: stream, position: position, parts: fragments.map { Part($0, renderer: renderer) })
    }
}

extension Part {
    public static let refresh = Part(html: TemplateRenderer.refresh, collapseKey: nil, isRefresh: true)

    fileprivate init(_ fragment: Fragment, renderer: TemplateRenderer) {
        let html = renderer.render(fragment)
        let isRefresh = fragment.action == "refresh" || html == TemplateRenderer.refresh
        self.init(html: html, collapseKey: fragment.collapseKey, isRefresh: isRefresh)
    }
}
