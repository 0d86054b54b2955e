internal import Synchronization

/// The templates of a folder, updated when its files change.
///
/// Any thread may read; one thread calls `refresh()` every second or so.
public final class TemplateStore: Sendable {
    /// What a refresh found in the folder, for the log.
    public struct Changes: Sendable, Equatable {
        /// Files that are newly served, or served in a new version.
        public var updated: [String] = []
        /// Files that are gone; their templates are no longer served.
        public var removed: [String] = []
        /// Files that broke since the last refresh; the last good version stays in use.
        public var broken: [TemplateProblem] = []
    }

    private let folder: TemplateFolder
    /// Locked only to copy, never while reading files, so that rendering does not wait for the disk.
    private let state = Mutex(TemplateCatalog())
    /// Locked during a whole refresh.
    private let refreshing = Mutex(())

    /// Loads every `*.html` of `folder` (`public/fragments`), or throws all their problems together.
    ///
    /// If there is no such folder, it serves `builtIn`, keyed by file name. A template may be missing: pages then get a
    /// `refresh`.
    public init(folder: String, builtIn: [String: [UInt8]] = [:]) throws(TemplateProblems) {
        self.folder = TemplateFolder(path: folder, builtIn: builtIn)
        let broken = refresh().broken
        if !broken.isEmpty { throw TemplateProblems(problems: broken) }
    }

    /// The current templates, ready to render.
    public var renderer: Renderer { Renderer(templates: templates) }

    public var templates: TemplateSet { state.withLock { $0.templates } }

    /// What is broken now, as sentences for `/ready`.
    public var problems: [String] {
        state.withLock { $0.problems.values.map(\.description).sorted() }
    }

    /// What is allowed but probably a mistake: missing, removed and misnamed files.
    public var warnings: [TemplateWarning] { state.withLock { $0 }.warnings }

    /// Reads the files that changed since the last refresh.
    @discardableResult
    public func refresh() -> Changes {
        refreshing.withLock { _ in
            let (next, changes) = state.withLock { $0 }.updated(from: folder)
            state.withLock { $0 = next }
            return changes
        }
    }
}
