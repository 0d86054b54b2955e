import Domain

/// Finds the template of a fragment among those of one moment. It is a value, so rendering never waits for a file.
public struct TemplateLookup: Sendable, Equatable {
    enum Found: Equatable {
        case template(Template)
        /// There are files with that name, but none has an element for the target.
        case otherTargets
        case nothing
    }

    /// Keyed by file name without `.html`. A fragment's name is only looked up here and never becomes a path.
    private var files: [String: TemplateFile] = [:]

    public init() {}

    /// The templates of `sources`, by file name (`success.de.html`); for tests and tools.
    public init(sources: [String: String]) throws(TemplateProblems) {
        var problems: [TemplateProblem] = []
        for (file, source) in sources.sorted(by: { $0.key < $1.key }) {
            do { try load(file, source: Array(source.utf8)) } catch { problems.append(error) }
        }
        if !problems.isEmpty { throw TemplateProblems(problems: problems) }
    }

    /// The names of the files that are served.
    var fileNames: Set<String> { Set(files.keys.map { $0 + ".html" }) }

    static func key(of file: String) -> String { String(file.dropLast(".html".count)) }

    mutating func load(_ file: String, source: [UInt8]) throws(TemplateProblem) {
        let key = TemplateLookup.key(of: file)
        do { files[key] = try TemplateFile(key: key, source: source) } catch {
            throw TemplateProblem(file: file, error: error)
        }
    }

    mutating func remove(_ file: String) {
        files[TemplateLookup.key(of: file)] = nil
    }

    /// The most specific element for `target`: a variant supplies the elements that it has and leaves the others to the
    /// next variant. For a user with access, a template that has only a banner leaves the card to `success`.
    func find(_ name: String, action: String, target: String?, values: [String: String]) -> Found {
        let found = findOwn(name, action: action, target: target, values: values)
        guard found == .otherTargets, target == PageTarget.paywall.rawValue,
            FragmentName(rawValue: name)?.requiredTarget == .subscriptionStatus
        else { return found }
        return findOwn(FragmentName.success.rawValue, action: action, target: target, values: values)
    }

    /// The ids of the elements that the variants have, sorted; empty if there is no such template.
    func targets(of name: String, values: [String: String]) -> [String] {
        Set(candidates(name, values: values).flatMap(\.roots.keys)).sorted()
    }

    private func candidates(_ name: String, values: [String: String]) -> [TemplateFile] {
        let language = values[TemplateValues.locale].flatMap { LanguageTag($0) }
        return TemplateLookup.keys(name, product: values["product"], language: language).compactMap { files[$0] }
    }

    private func findOwn(_ name: String, action: String, target: String?, values: [String: String]) -> Found {
        let candidates = candidates(name, values: values)
        for file in candidates {
            if let template = file.root(action: action, target: target) { return .template(template) }
        }
        return candidates.isEmpty ? .nothing : .otherTargets
    }

    /// Most specific first: NAME.PRODUCT.LOCALE, NAME.PRODUCT, NAME.LOCALE, NAME; each LOCALE with its fallbacks.
    static func keys(_ name: String, product: String?, language: LanguageTag?) -> [String] {
        let locales = language?.fallbacks.map { ".\($0)" } ?? []
        let product = product.flatMap { $0.isEmpty ? nil : name + "." + $0 }
        return [product, name].compactMap { $0 }.flatMap { name in locales.map { name + $0 } + [name] }
    }
}
