import Domain
import Support

/// What the name of a fragment's file says beside the fragment: `success.pro.annual.de.html` is for a product and a language.
struct TemplateVariant {
    /// The name without the language: what it translates.
    let original: String
    let product: String?
    let language: LanguageTag?

    /// Nil for a template of the app's own. What may be a product's id or end in a language is what the catalog says.
    init?(file: String, catalog: Catalog) {
        let key = TemplateRenderer.key(of: file)
        guard let name = TemplateFile.name(of: key), FragmentName(rawValue: name) != nil else { return nil }
        let base = (TemplateFile.folder(of: key).map { $0 + "/" } ?? "") + name
        let parts = key.dropFirst(base.count).split(separator: ".").map(String.init)
        let whole = parts.joined(separator: ".")
        let language = catalog[whole] == nil ? parts.last.flatMap(TemplateVariant.language) : nil
        let product = language == nil ? whole : parts.dropLast().joined(separator: ".")
        self.language = language
        self.product = product.isEmpty ? nil : product
        original = base + (product.isEmpty ? "" : ".\(product)")
    }

    /// In the spelling that the lookup uses.
    private static func language(_ text: String) -> LanguageTag? {
        LanguageTag(text).flatMap { $0.text.hasSameBytes(as: text) && LocalFormat.knows($0) ? $0 : nil }
    }
}

/// Variants that somebody who reads another language, or has bought something else, would not see.
extension TemplateWarning {
    /// `served` are file names.
    static func all(served: Set<String>, catalog: Catalog) -> [TemplateWarning] {
        let variants = served.sorted().compactMap { file in
            TemplateVariant(file: file, catalog: catalog).map { (file: file, variant: $0) }
        }
        let unseen = variants.compactMap { file, variant -> TemplateWarning? in
            guard slip(in: file) == nil, let product = variant.product else { return nil }
            return effect(of: product, in: file, catalog: catalog).map { TemplateWarning(file: file, effect: $0) }
        }
        let seen = variants.filter { file, _ in !unseen.contains { $0.file == file } }
        return incomplete(seen.map(\.variant), served: served, catalog: catalog) + unseen
    }

    /// One for each language that has some of the templates.
    private static func incomplete(_ variants: [TemplateVariant], served: Set<String>, catalog: Catalog)
        -> [TemplateWarning]
    {
        let originals = variants.filter { $0.language == nil }.map(\.original)
        // In `success.com.example.mas.html`, the end of a product's id may look like a language.
        let sure = variants.filter { variant in
            variant.product.map { catalog[$0] != nil || originals.contains(variant.original) } ?? true
        }
        return Set(sure.compactMap(\.language)).sorted { $0.text < $1.text }.compactMap { language in
            let lacking = originals.filter { original in
                !language.fallbacks.contains { served.contains("\(original).\($0).html") }
            }
            guard !lacking.isEmpty else { return nil }
            return TemplateWarning(
                file: "*.\(language).html",
                effect: "do not translate \(list(lacking)): who reads \(language) sees what is written for all; add "
                    + "\(lacking[0]).\(language).html"
            )
        }
    }

    private static func list(_ names: [String]) -> String {
        let most = 5
        let rest = names.count - most
        return names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Nil for what can be a product. Without products in the catalog, that is all but the name of a language.
    private static func effect(of product: String, in file: String, catalog: Catalog) -> String? {
        // Rentals stand there as `PRODUCT:OPTION`, and a grant may be of an entitlement.
        let known = catalog.productIDs + catalog.entitlements.map(\.description)
        guard !known.contains(where: { product.hasSameBytes(as: $0) || $0.hasPrefix(product + ":") }) else {
            return nil
        }
        let word = product.split(separator: ".").last.map(String.init) ?? product
        let meant = LocalFormat.language(called: word).map { "\(file.dropLast(word.count + ".html".count))\($0).html" }
        if let meant {
            return
                "is shown for no language: \(word) is taken for a product; did you mean \(meant)? If it is a product, name "
                + "it in the catalog"
        }
        guard !catalog.productIDs.isEmpty else { return nil }
        let near = nearest(to: product, among: catalog.productIDs).map { "; did you mean \($0)?" } ?? ""
        return "is for \(product), which is neither a product of the catalog nor a language\(near)"
    }
}
