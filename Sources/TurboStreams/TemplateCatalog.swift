/// The state of a folder of templates: the versions that are served, and the problems of newer ones.
struct TemplateCatalog: Sendable {
    private(set) var templates = TemplateSet()
    private(set) var problems: [String: TemplateProblem] = [:]
    private var stamps: [String: TemplateFolder.Stamp] = [:]
    /// Files that were served before and are gone.
    private var removed: Set<String> = []

    var warnings: [TemplateWarning] {
        TemplateWarning.all(served: templates.fileNames, removed: removed, broken: Set(problems.keys))
    }

    func updated(from folder: TemplateFolder) -> (TemplateCatalog, TemplateStore.Changes) {
        var next = self
        var changes = TemplateStore.Changes()
        do throws(TemplateError) {
            let files = try folder.files()
            next.forgetFiles(missingIn: files, changes: &changes)
            for (file, stamp) in files.sorted(by: { $0.key < $1.key }) where stamps[file] != stamp {
                next.load(file, stamp: stamp, from: folder, changes: &changes)
            }
            next.problems["."] = nil
        } catch {
            next.report(TemplateProblem(file: ".", error: error), in: &changes)
        }
        return (next, changes)
    }

    private mutating func forgetFiles(
        missingIn files: [String: TemplateFolder.Stamp],
        changes: inout TemplateStore.Changes
    ) {
        for file in Set(stamps.keys).union(problems.keys).sorted() where files[file] == nil && file != "." {
            if templates.fileNames.contains(file) { removed.insert(file) }
            templates.remove(file)
            stamps[file] = nil
            problems[file] = nil
            changes.removed.append(file)
        }
    }

    private mutating func load(
        _ file: String,
        stamp: TemplateFolder.Stamp,
        from folder: TemplateFolder,
        changes: inout TemplateStore.Changes
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
            removed.remove(file)
            changes.updated.append(file)
        } catch {
            report(error, in: &changes)
        }
    }

    private mutating func report(_ problem: TemplateProblem, in changes: inout TemplateStore.Changes) {
        guard problems[problem.file] != problem else { return }
        problems[problem.file] = problem
        changes.broken.append(problem)
    }
}
