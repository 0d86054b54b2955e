import Crypto
public import Domain
import Synchronization

/// The templates of a folder, updated when its files change.
///
/// Any thread may read; one thread calls `refresh(at:)` every second or so.
public final class TemplateLoader: Sendable {
    /// The findings of a refresh, for the log.
    public struct Changes: Sendable, Equatable {
        /// Files that are newly served, or served in a new version.
        public var updated: [String] = []
        /// Files that are gone; their templates are no longer served.
        public var removed: [String] = []
        /// The folder has come: the program's own templates are no longer served, and nobody has removed them.
        public var hasOwnFolder = false
        /// Files that broke since the last refresh; the last good version stays in use.
        public var broken: [TemplateProblem] = []
    }

    private let folder: TemplateFolder
    /// Locked only to copy, never while reading files, so that rendering does not wait for the disk.
    private let state = Mutex(LoadedTemplates())
    /// Held by whoever makes the next state, from the copy on: a refresh and a new catalog would undo each other.
    private let turn = Mutex<Void>(())

    /// Loads every `*.html` of `folder` (`public/fragments`), or throws all their problems together.
    ///
    /// If there is no such folder, it serves `builtIn`, keyed by file name. A template may be missing: pages then get a
    /// `refresh`. `catalog` says what may be meant by the files' names, for the warnings.
    public init(
        folder: String,
        builtIn: [String: [UInt8]] = [:],
        catalog: Catalog = Catalog()
    ) throws(TemplateProblems) {
        self.folder = TemplateFolder(path: folder, builtIn: builtIn)
        adopt(catalog)
        // No problem outlives this, so that none has a beginning.
        let broken = refresh(at: Instant(milliseconds: 0)).broken
        if !broken.isEmpty { throw TemplateProblems(problems: broken) }
    }

    /// Warnings from now on are about what this catalog sells.
    public func adopt(_ catalog: Catalog) { change { $0.catalog = catalog } }

    public var path: String { folder.path }

    /// Whether there is a folder of templates, whatever is in it; otherwise those of the program are shown.
    public var hasOwnFolder: Bool { state.withLock { $0.hasOwnFolder } }

    /// The current templates, ready to render.
    public var renderer: TemplateRenderer { state.withLock { $0.templates } }

    /// Templates that are broken now, and since when: sentences for `/ready`.
    public var broken: [String] { state.withLock { $0 }.broken }

    /// Probable mistakes that are allowed: missing, removed and misnamed files.
    public var warnings: [TemplateWarning] { state.withLock { $0 }.warnings }

    /// Of everything that is served: the same on two nodes if their pages look the same.
    public var digest: [UInt8] { state.withLock { $0 }.digest }

    /// Reads the files that changed since the last refresh.
    @discardableResult
    public func refresh(at now: Instant) -> Changes {
        change { $0.update(from: folder, at: now) }
    }

    private func change<Answer: Sendable>(_ change: (inout LoadedTemplates) -> Answer) -> Answer {
        turn.withLock { _ in
            var next = state.withLock { $0 }
            let answer = change(&next)
            state.withLock { [next] in $0 = next }
            return answer
        }
    }
}

/// The state of a folder of templates: the versions that are served, and the problems of newer ones.
struct LoadedTemplates: Sendable {
    private(set) var templates = TemplateRenderer()
    private var problems: [String: TemplateProblem] = [:]
    /// Since when each of them has one, however often it has changed.
    private var brokenSince: [String: Instant] = [:]
    private var stamps: [String: TemplateFolder.Stamp] = [:]
    /// Files that were served before and are gone.
    private var removed: Set<String> = []
    /// Of the version of each file that is served.
    private var digests: [String: [UInt8]] = [:]
    var catalog = Catalog() {
        didSet { judge() }
    }
    /// What the names of all files are compared with is much, and changes seldom: they are not judged each second.
    private(set) var warnings: [TemplateWarning] = []

    var hasOwnFolder: Bool { stamps.isEmpty || stamps.values.contains { $0 != .builtIn } }

    private mutating func judge() {
        let files = templates.fileNames
        warnings =
            TemplateWarning.all(served: files, removed: removed, broken: Set(problems.keys))
            + TemplateWarning.all(
                served: files,
                onlyForMain: templates.filesOfMainAlone,
                entitlements: catalog.entitlements
            ) + TemplateWarning.all(served: files, catalog: catalog)
    }

    var digest: [UInt8] {
        SHA256.hash(digests.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + [0] + $0.value })
    }

    /// What pages get meanwhile, and what a start would do, is what an operator has to know.
    var broken: [String] {
        problems.values.sorted { $0.file < $1.file }.map { problem in
            let since = brokenSince[problem.file].map { " since \($0.iso8601)" } ?? ""
            let served =
                problem.file == "." || templates.fileNames.contains(problem.file)
                ? "pages get the last good version" : "pages do without it"
            return "\(problem); \(served)\(since), and the server would not start again with it"
        }
    }

    mutating func update(from folder: TemplateFolder, at now: Instant) -> TemplateLoader.Changes {
        let before = problems.count
        let changes = read(folder)
        // The problem of the folder itself may go without any other change.
        if changes != TemplateLoader.Changes() || problems.count != before {
            brokenSince = problems.reduce(into: [:]) { $0[$1.key] = brokenSince[$1.key] ?? now }
            judge()
        }
        return changes
    }

    private mutating func read(_ folder: TemplateFolder) -> TemplateLoader.Changes {
        var changes = TemplateLoader.Changes()
        do throws(MarkupError) {
            let files = try folder.files()
            forgetFiles(missingIn: files, changes: &changes)
            for (file, stamp) in files.sorted(by: { $0.key < $1.key }) where stamps[file] != stamp {
                load(file, stamp: stamp, from: folder, changes: &changes)
            }
            problems["."] = nil
        } catch {
            report(TemplateProblem(file: ".", error: error), in: &changes)
        }
        return changes
    }

    private mutating func forgetFiles(
        missingIn files: [String: TemplateFolder.Stamp],
        changes: inout TemplateLoader.Changes
    ) {
        for file in Set(stamps.keys).union(problems.keys).sorted() where files[file] == nil && file != "." {
            if stamps[file] == .builtIn {
                changes.hasOwnFolder = true
            } else {
                if templates.fileNames.contains(file) { removed.insert(file) }
                changes.removed.append(file)
            }
            templates.remove(file)
            stamps[file] = nil
            problems[file] = nil
            digests[file] = nil
        }
    }

    private mutating func load(
        _ file: String,
        stamp: TemplateFolder.Stamp,
        from folder: TemplateFolder,
        changes: inout TemplateLoader.Changes
    ) {
        let source: [UInt8]
        do { source = try folder.read(file, stamp: stamp) } catch {
            // Without a stamp it is read again next time: permissions may change while the file does not.
            return report(TemplateProblem(file: file, error: error), in: &changes)
        }
        stamps[file] = stamp
        do throws(TemplateProblem) {
            try templates.load(file, source: source)
            problems[file] = nil
            digests[file] = SHA256.hash(source)
            removed.remove(file)
            changes.updated.append(file)
        } catch {
            report(error, in: &changes)
        }
    }

    private mutating func report(_ problem: TemplateProblem, in changes: inout TemplateLoader.Changes) {
        guard problems[problem.file] != problem else { return }
        problems[problem.file] = problem
        changes.broken.append(problem)
    }
}

/// A problem with one template file.
public struct TemplateProblem: Error, Equatable, CustomStringConvertible {
    /// Its name inside the folder: `success.de.html`.
    public var file: String
    public var error: MarkupError

    public var description: String {
        // The only mistake in a misnamed file may be its name.
        let hint = TemplateWarning.nearestFile(to: file).map { ". Did you mean \($0)?" } ?? ""
        return "fragments/\(file): \(error)\(hint)"
    }
}

/// All problems with the templates at start, so that an author sees them at once.
public struct TemplateProblems: Error, Equatable, CustomStringConvertible {
    public var problems: [TemplateProblem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
