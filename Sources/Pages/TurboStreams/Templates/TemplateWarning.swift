import Domain
import Support

/// Something about the template folder that is allowed but probably a mistake.
public struct TemplateWarning: Sendable, Equatable, CustomStringConvertible {
    /// Its name inside the folder; empty for the folder itself.
    public let file: String
    /// What the problem is, and what pages see of it.
    public let effect: String
    /// The server served it before, and it is gone.
    public var isRemoved = false

    public var description: String { "fragments/\(file) \(effect)" }
}

extension TemplateWarning {
    /// `served` and `removed` are file names; `broken` are those whose problem is reported elsewhere.
    static func all(served: Set<String>, removed: Set<String>, broken: Set<String>) -> [TemplateWarning] {
        if served.isEmpty, removed.isEmpty, broken.isEmpty {
            let effect = "has no templates: a page reloads at every change of its user's state"
            return [TemplateWarning(file: "", effect: effect)]
        }
        let general = served.filter { TemplateFile.folder(of: $0) == nil }
        let names = Set(general.compactMap { TemplateFile.name(of: TemplateRenderer.key(of: $0)) })
        var warnings = removed.map {
            TemplateWarning(file: $0, effect: "was removed: " + loss(of: $0), isRemoved: true)
        }
        for name in FragmentName.allCases.map(\.rawValue) {
            let file = name + ".html"
            guard !served.contains(file), !removed.contains(file), !broken.contains(file) else { continue }
            let effect = names.contains(name) ? "a page reloads when none of its variants fits" : loss(of: file)
            warnings.append(TemplateWarning(file: file, effect: "is missing: " + effect))
        }
        warnings += served.compactMap { file in slip(in: file).map { TemplateWarning(file: file, effect: $0) } }
        return warnings.sorted { $0.file < $1.file }
    }

    /// What pages do without a file.
    private static func loss(of file: String) -> String {
        switch FragmentName(rawValue: TemplateRenderer.key(of: file)) {
        case .paywall: "a page whose user's access ends reloads, so that the app's own server renders its offers"
        case nil: "a page that would show it gets a less specific template, or none"
        default: "a page that would show it reloads instead"
        }
    }

    /// No fragment has this name, but one has a similar name; or its last part is a language, but not in the spelling
    /// that the lookup uses: `success.pt-BR.html` for `success.pt_br.html`.
    static func slip(in file: String) -> String? {
        let key = TemplateRenderer.key(of: file)
        if let nearest = nearestFile(to: file) {
            return
                "is never shown: no fragment is called \(TemplateFile.name(of: key) ?? key); did you mean \(nearest)?"
        }
        let parts = key.split(separator: ".")
        guard parts.count > 1, let last = parts.last.map(String.init), let language = LanguageTag(last),
            !language.text.hasSameBytes(as: last), LocalFormat.knows(language)
        else { return nil }
        let right = parts.dropLast().joined(separator: ".") + ".\(language).html"
        return "is never shown for a language: \(last) is taken for a product; did you mean \(right)?"
    }

    /// The file that was probably meant: with the same product and locale, and a fragment's name. Nil when the name
    /// already is a fragment's, or resembles none: then the template is the app's own.
    static func nearestFile(to file: String) -> String? {
        let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
        let name = String(file.dropFirst(folder.count).prefix { $0 != "." })
        guard FragmentName(rawValue: name) == nil,
            let near = nearest(to: name, among: FragmentName.allCases.map(\.rawValue))
        else { return nil }
        return folder + near + file.dropFirst(folder.count + name.count)
    }
}

/// Templates and the catalog's entitlements.
extension TemplateWarning {
    /// `onlyForMain` are those files outside of any folder with an id that only the main entitlement's element has;
    /// `entitlements` begin with that one.
    static func all(
        served: Set<String>,
        onlyForMain: Set<String>,
        entitlements: [EntitlementName]
    ) -> [TemplateWarning] {
        // Without any in the catalog, the folders are those of the demo.
        guard entitlements != [.standard] else { return [] }
        let names = entitlements.map(\.description)
        let folders = Set(served.compactMap(TemplateFile.folder)).sorted()
        let unknown = folders.filter { folder in !names.contains { $0.hasSameBytes(as: folder) } }.map { folder in
            let near = nearest(to: folder, among: names).map { "; did you mean \($0)/?" } ?? ""
            return TemplateWarning(
                file: folder + "/",
                effect: "is never shown: the catalog has no entitlement of that name\(near)"
            )
        }
        let literal = onlyForMain.sorted().compactMap { file in
            warning(about: file, served: served, others: names.dropFirst()).map {
                TemplateWarning(file: file, effect: $0)
            }
        }
        return unknown + literal
    }

    /// Nil if the name is not a fragment's, or if each other entitlement has a template of that name.
    private static func warning(about file: String, served: Set<String>, others: ArraySlice<String>) -> String? {
        guard let name = TemplateFile.name(of: TemplateRenderer.key(of: file)), FragmentName(rawValue: name) != nil
        else {
            return nil
        }
        let lacking = others.filter { other in !served.contains { $0.hasPrefix("\(other)/\(name).") } }
        guard let first = lacking.first else { return nil }
        return
            "is for the main entitlement alone, and pages of \(lacking.joined(separator: ", ")) reload in its place: write "
            + "id=\"{{paywall}}\" and id=\"{{subscription_status}}\" in it, or add fragments/\(first)/\(name).html"
    }
}
