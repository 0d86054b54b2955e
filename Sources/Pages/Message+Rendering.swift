public import Domain

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
