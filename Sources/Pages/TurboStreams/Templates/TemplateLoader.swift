import Crypto
public import Domain
import Synchronization

/// The templates of a folder, updated when its files change.
///
/// Any thread may read; one thread calls `refresh()` every second or so.
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

    /// Loads every `*.html` of `folder` (`public/fragments`), or throws all their problems together.
    ///
    /// If there is no such folder, it serves `builtIn`, keyed by file name. A template may be missing: pages then get a
    /// `refresh`. `entitlements` are the catalog's, the main one first, for the warnings.
    public init(
        folder: String,
        builtIn: [String: [UInt8]] = [:],
        entitlements: [EntitlementName] = [.standard]
    ) throws(TemplateProblems) {
        self.folder = TemplateFolder(path: folder, builtIn: builtIn)
        adopt(entitlements)
        let broken = refresh().broken
        if !broken.isEmpty { throw TemplateProblems(problems: broken) }
    }

    /// Warnings from now on are about these entitlements.
    public func adopt(_ entitlements: [EntitlementName]) { state.withLock { $0.entitlements = entitlements } }

    /// The current templates, ready to render.
    public var renderer: TemplateRenderer { state.withLock { $0.templates } }

    /// Templates that are broken now, as sentences for `/ready`.
    public var problems: [String] { state.withLock { $0.problems.values.map(\.description).sorted() } }

    /// Probable mistakes that are allowed: missing, removed and misnamed files.
    public var warnings: [TemplateWarning] { state.withLock { $0 }.warnings }

    /// Of everything that is served: the same on two nodes if their pages look the same.
    public var digest: [UInt8] { state.withLock { $0 }.digest }

    /// Reads the files that changed since the last refresh.
    @discardableResult
    public func refresh() -> Changes {
        var next = state.withLock { $0 }
        let changes = next.update(from: folder)
        state.withLock { [next] in $0 = next }
        return changes
    }
}

/// The state of a folder of templates: the versions that are served, and the problems of newer ones.
struct LoadedTemplates: Sendable {
    private(set) var templates = TemplateRenderer()
    private(set) var problems: [String: TemplateProblem] = [:]
    private var stamps: [String: TemplateFolder.Stamp] = [:]
    /// Files that were served before and are gone.
    private var removed: Set<String> = []
    /// Of the version of each file that is served.
    private var digests: [String: [UInt8]] = [:]
    /// The main one first.
    var entitlements: [EntitlementName] = [.standard]

    var warnings: [TemplateWarning] {
        TemplateWarning.all(served: templates.fileNames, removed: removed, broken: Set(problems.keys))
            + TemplateWarning.all(
                served: templates.fileNames,
                onlyForMain: templates.filesOfMainAlone,
                entitlements: entitlements
            )
    }

    var digest: [UInt8] {
        SHA256.hash(digests.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + [0] + $0.value })
    }

    mutating func update(from folder: TemplateFolder) -> TemplateLoader.Changes {
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
