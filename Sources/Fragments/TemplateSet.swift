internal import Domain

/// The templates of one moment. A value: rendering never waits for a file.
public struct TemplateSet: Sendable, Equatable {
    enum Found: Equatable {
        case template(Template)
        /// There are files of that name, but none has an element for the target.
        case otherTargets
        case nothing
    }

    /// By file name without `.html`. Names that come with a fragment are looked up here and never become a path.
    private var files: [String: TemplateFile] = [:]

    public init() {}

    /// The templates of `sources`, by file name (`success.de.html`); for tests and tools.
    public init(sources: [String: String]) throws(TemplateProblems) {
        var problems: [TemplateProblem] = []
        for (file, source) in sources.sorted(by: { $0.key < $1.key }) {
            do { try load(file, Array(source.utf8)) } catch { problems.append(error) }
        }
        if !problems.isEmpty { throw TemplateProblems(problems: problems) }
    }

    /// The names of the files that are served.
    var fileNames: Set<String> { Set(files.keys.map { $0 + ".html" }) }

    static func key(of file: String) -> String { String(file.dropLast(".html".count)) }

    mutating func load(_ file: String, _ source: [UInt8]) throws(TemplateProblem) {
        let key = TemplateSet.key(of: file)
        do { files[key] = try TemplateFile(key: key, source: source) } catch {
            throw TemplateProblem(file: file, error: error)
        }
    }

    mutating func remove(_ file: String) {
        files[TemplateSet.key(of: file)] = nil
    }

    /// The most specific element for `target`: a variant replaces what it has and leaves the rest to the next one. A
    /// template that has a banner only, for a user who has access, leaves the card to `success`.
    func find(_ name: String, action: String, target: String?, values: [String: String]) -> Found {
        let found = findOwn(name, action: action, target: target, values: values)
        guard found == .otherTargets, target == PageTarget.paywall.rawValue,
            FragmentName(rawValue: name)?.requiredTarget == .subscriptionStatus
        else { return found }
        return findOwn(FragmentName.success.rawValue, action: action, target: target, values: values)
    }

    private func findOwn(_ name: String, action: String, target: String?, values: [String: String]) -> Found {
        let candidates = TemplateSet.keys(name, product: values["product"], locale: values["locale"])
            .compactMap { files[$0] }
        for file in candidates {
            if let template = file.root(action: action, target: target) { return .template(template) }
        }
        return candidates.isEmpty ? .nothing : .otherTargets
    }

    /// Most specific first: NAME.PRODUCT.LOCALE, NAME.PRODUCT, NAME.LOCALE, NAME.
    static func keys(_ name: String, product: String?, locale: String?) -> [String] {
        let product = product.flatMap { $0.isEmpty ? nil : $0 }
        let locale = locale.flatMap { isLocale($0) ? $0 : nil }
        let withProduct = product.map { product in
            [locale.map { "\(name).\(product).\($0)" }, "\(name).\(product)"]
        }
        return ((withProduct ?? []) + [locale.map { "\(name).\($0)" }, name]).compactMap { $0 }
    }

    /// `de`, `pt-BR`, `zh-Hant`, `zh-Hant-TW`, `es-419`: a language and what narrows it (RFC 5646 §2.1).
    static func isLocale(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 3, (2...3).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (97...122).contains($0) })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (2...4).contains(part.utf8.count)
                && part.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
        }
    }
}
