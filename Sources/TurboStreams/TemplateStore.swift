internal import Synchronization

/// The templates of a folder, kept up with its files.
///
/// Any thread may read; one thread calls `refresh()` every second or so.
public final class TemplateStore: Sendable {
    /// What a look at the folder found, for the log.
    public struct Changes: Sendable, Equatable {
        /// File names that are now served, or served in a new version.
        public var updated: [String] = []
        /// File names that are gone, with what was served of them.
        public var removed: [String] = []
        /// Files that broke since the last look; the last good version stays.
        public var broken: [TemplateProblem] = []
    }

    private let folder: TemplateFolder
    /// Held while copying only, never while reading files, so that a render does not wait for the disk.
    private let state = Mutex(TemplateCatalog())
    /// Held through a look at the folder.
    private let refreshing = Mutex(())

    /// Loads every `*.html` of `folder` (`public/fragments`), or throws all their problems together.
    ///
    /// Where there is no such folder, the templates are those of `builtIn`, by file name. One that is missing is allowed:
    /// pages then get a `refresh`.
    public init(folder: String, builtIn: [String: [UInt8]] = [:]) throws(TemplateProblems) {
        self.folder = TemplateFolder(path: folder, builtIn: builtIn)
        let broken = refresh().broken
        if !broken.isEmpty { throw TemplateProblems(problems: broken) }
    }

    /// The templates of this moment, ready to render.
    public var renderer: Renderer { Renderer(templates: templates) }

    public var templates: TemplateSet { state.withLock { $0.templates } }

    /// What is broken now, a sentence each, for `/ready`.
    public var problems: [String] {
        state.withLock { $0.problems.values.map(\.description).sorted() }
    }

    /// What is allowed and perhaps not meant: missing, removed and misnamed files.
    public var warnings: [TemplateWarning] { state.withLock { $0 }.warnings }

    /// Reads the files that changed since the last look.
    @discardableResult
    public func refresh() -> Changes {
        refreshing.withLock { _ in
            let (next, changes) = state.withLock { $0 }.updated(from: folder)
            state.withLock { $0 = next }
            return changes
        }
    }
}
