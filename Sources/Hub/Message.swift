public import Domain

/// All fragments that one ledger entry has for one stream. They travel in one frame, so that a connection which drops
/// between two of them cannot lose one.
public struct Message: Sendable, Equatable {
    public let stream: StreamName
    /// The entry's place in the ledger; nil for a transient message, which is gone for a page that misses it.
    public let position: Int64?
    /// In the order in which a page applies them.
    public let parts: [Part]

    public init(stream: StreamName, position: Int64?, parts: [Part]) {
        self.stream = stream
        self.position = position
        self.parts = parts
    }

    /// What goes into the frame.
    public var html: [UInt8] {
        if parts.count == 1 { return parts[0].html }
        var frame = FrameHTML()
        for part in parts { frame.append(part) }
        return frame.bytes
    }

    /// It makes pages load themselves again.
    public var hasRefresh: Bool { parts.contains(where: \.isRefresh) }
}

/// One rendered `<turbo-stream>` element.
public struct Part: Sendable, Equatable {
    public let html: [UInt8]
    /// While it waits in a queue, a newer part with the same key takes its place (`Fragment.collapseKey`).
    public let collapseKey: CollapseKey?
    /// It makes the page load itself again. It may stand for the state of a target that has no template: then it has the
    /// key of that target, and what is older is as superfluous as before any other state.
    public let isRefresh: Bool

    public init(html: [UInt8], collapseKey: CollapseKey?, isRefresh: Bool = false) {
        self.html = html
        self.collapseKey = collapseKey
        self.isRefresh = isRefresh
    }

    /// What it counts for in a queue: its bytes and about what it costs to hold them, so that empty ones count too.
    var cost: Int { html.count + 64 }
}
