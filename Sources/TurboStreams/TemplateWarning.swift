internal import Domain

/// Something about the folder of templates that is allowed, and perhaps not meant.
public struct TemplateWarning: Sendable, Equatable, CustomStringConvertible {
    public enum Cause: Sendable, Equatable {
        /// `hasVariants`: there are files of that name for some products or locales.
        case missing(hasVariants: Bool)
        /// It was there when the server looked last.
        case removed
        /// No fragment is called so, but one has nearly that name.
        case misnamed(nearest: String)
        /// What stands last in the name is a language, spelled otherwise than it is looked for.
        case misspelledLocale(right: String)
        case emptyFolder
    }

    /// As it is called inside the folder; empty for the folder itself.
    public var file: String
    public var cause: Cause

    public var description: String { "fragments/\(file) \(effect)" }

    /// What is so, and what pages see of it.
    public var effect: String {
        switch cause {
        case .missing(let hasVariants): "is missing: " + missing(hasVariants)
        case .removed where FragmentName(rawValue: key) != nil: "was removed: " + missing(false)
        case .removed: "was removed: what it was shown for gets a less specific template, or none"
        case .misnamed(let nearest):
            "is shown for no state: no fragment is called \(TemplateFile.name(of: key) ?? key); did you mean \(nearest)?"
        case .misspelledLocale(let right):
            "is shown for no language: \(key.split(separator: ".").last ?? "") is taken for a product; did you mean \(right)?"
        case .emptyFolder: "has no templates: a page reloads at every change of its user's state"
        }
    }

    private func missing(_ hasVariants: Bool) -> String {
        switch FragmentName(rawValue: key) {
        case .paywall where !hasVariants:
            "a page whose user's access ends reloads, so that the app's own server renders its offers"
        case _ where hasVariants: "a page that none of its variants fits reloads"
        default: "a page that would show it reloads"
        }
    }

    private var key: String { TemplateSet.key(of: file) }
}

extension TemplateWarning {
    /// `served` and `removed` are file names, `broken` those with a problem that is told elsewhere.
    static func all(served: Set<String>, removed: Set<String>, broken: Set<String>) -> [TemplateWarning] {
        if served.isEmpty, removed.isEmpty, broken.isEmpty { return [TemplateWarning(file: "", cause: .emptyFolder)] }
        let names = Set(served.compactMap { TemplateFile.name(of: TemplateSet.key(of: $0)) })
        var warnings = removed.map { TemplateWarning(file: $0, cause: .removed) }
        for name in FragmentName.allCases.map(\.rawValue) {
            let file = name + ".html"
            guard !served.contains(file), !removed.contains(file), !broken.contains(file) else { continue }
            warnings.append(TemplateWarning(file: file, cause: .missing(hasVariants: names.contains(name))))
        }
        for file in served {
            if let nearest = nearestFile(to: file) {
                warnings.append(TemplateWarning(file: file, cause: .misnamed(nearest: nearest)))
            } else if let right = rightSpelling(of: file) {
                warnings.append(TemplateWarning(file: file, cause: .misspelledLocale(right: right)))
            }
        }
        return warnings.sorted { $0.file < $1.file }
    }

    /// `success.pt-BR.html` for `success.pt_br.html`; nil when it is right, or ends in no language that there is.
    private static func rightSpelling(of file: String) -> String? {
        let parts = TemplateSet.key(of: file).split(separator: ".")
        guard parts.count > 1, let last = parts.last.map(String.init), let language = LanguageTag(last),
            !language.text.hasSameBytes(as: last), LocalFormat.knows(language)
        else { return nil }
        return parts.dropLast().joined(separator: ".") + ".\(language).html"
    }

    /// The file that was most likely meant: with the same product and locale, and a name that a fragment has. Nil when it
    /// has such a name, or none that is near: then it is an app's own.
    static func nearestFile(to file: String) -> String? {
        let name = String(file.prefix { $0 != "." })
        guard FragmentName(rawValue: name) == nil,
            let near = nearest(to: name, among: FragmentName.allCases.map(\.rawValue))
        else { return nil }
        return near + file.dropFirst(name.count)
    }
}
