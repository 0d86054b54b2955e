public import Domain

/// The templates of one moment, which turn fragments into the `<turbo-stream>` elements that pages receive. It is a
/// value, so rendering never waits for a file.
public struct TemplateRenderer: Sendable, Equatable {
    /// Keyed by file name without `.html`. A fragment's name is only looked up here and never becomes a path.
    private var files: [String: TemplateFile] = [:]

    /// Returns one complete element in UTF-8, or all the elements that a publisher wrote.
    ///
    /// If there is no template, the page is told to reload, so that the app's own server renders the current state. If
    /// a template has no banner, the banner on the page is emptied, so that a stale one never stays.
    public func render(_ fragment: Fragment) -> [UInt8] {
        func element(withTemplate: Bool, content: (inout [UInt8]) -> Void) -> [UInt8] {
            streamElement(
                action: fragment.action,
                target: fragment.target,
                targets: fragment.targets,
                withTemplate: withTemplate,
                content: content
            )
        }
        switch fragment.content {
        case .markup(let markup): return Array(markup.utf8)
        case .none: return element(withTemplate: false) { _ in }
        case .html(let html): return element(withTemplate: true) { $0.append(contentsOf: html.utf8) }
        case .template(let name, let values):
            let place = PageElement(id: fragment.target, entitlement: values[TemplateValues.entitlement])
            switch find(name, action: fragment.action, target: fragment.target, values: values) {
            case .template(let template):
                let values = values.written(for: template, named: name)
                return element(withTemplate: true) { template.append(values, on: place, to: &$0) }
            case .otherTargets where place?.target == .subscriptionStatus:
                return streamElement(action: "update", target: fragment.target, withTemplate: true)
            case .otherTargets, .nothing: return TemplateRenderer.refresh
            }
        }
    }

    /// What a fragment brings to a page, without the `<turbo-stream>` around it, unless a publisher wrote that too; nil if
    /// it brings nothing, or makes the page reload.
    public func content(of fragment: Fragment) -> [UInt8]? {
        switch fragment.content {
        case .markup(let text), .html(let text): return Array(text.utf8)
        case .none: return nil
        case .template(let name, let values):
            return filled(name, action: fragment.action, target: fragment.target, values: values)
        }
    }

    /// The element that a fragment would put on a page, for a page that is rendered whole; nil if it has no template.
    public func element(_ name: FragmentName, for target: PageTarget, values: [String: String]) -> [UInt8]? {
        element(name, at: target.rawValue, values: values)
    }

    /// `id` is the element's; `values` name its entitlement, unless that is the main one.
    public func element(_ name: FragmentName, at id: String, values: [String: String]) -> [UInt8]? {
        filled(name.rawValue, action: "replace", target: id, values: values)
    }

    private func filled(_ name: String, action: String, target: String?, values: [String: String]) -> [UInt8]? {
        let place = PageElement(id: target, entitlement: values[TemplateValues.entitlement])
        let found = find(name, action: action, target: target, values: values)
        guard case .template(let template) = found else { return nil }
        var bytes: [UInt8] = []
        template.append(values.written(for: template, named: name), on: place, to: &bytes)
        return bytes
    }

    /// Makes every stock client reload its page.
    public static let refresh = streamElement(action: "refresh")
}

/// Which template a fragment gets.
extension TemplateRenderer {
    enum Found: Equatable {
        case template(Template)
        /// There are files with that name, but none has an element for the target.
        case otherTargets
        case nothing
    }

    /// The names of the files that are served.
    var fileNames: Set<String> { Set(files.keys.map { $0 + ".html" }) }

    /// Those for every entitlement whose elements only the main one has.
    var filesOfMainAlone: Set<String> {
        Set(files.filter { TemplateFile.folder(of: $0.key) == nil && $0.value.isOfMainAlone }.keys.map { $0 + ".html" })
    }

    static func key(of file: String) -> String { String(file.dropLast(".html".count)) }

    mutating func load(_ file: String, source: [UInt8]) throws(TemplateProblem) {
        let key = TemplateRenderer.key(of: file)
        do { files[key] = try TemplateFile(key: key, source: source) } catch {
            throw TemplateProblem(file: file, error: error)
        }
    }

    mutating func remove(_ file: String) { files[TemplateRenderer.key(of: file)] = nil }

    /// The most specific element for `target`: a variant supplies the elements that it has and leaves the others to the
    /// next variant. For a user with access, a template that has only a banner leaves the card to `success`.
    func find(_ name: String, action: String, target: String?, values: [String: String]) -> Found {
        let element = PageElement(id: target, entitlement: values[TemplateValues.entitlement])
        let found = findOwn(name, action: action, target: target, element: element, values: values)
        guard found == .otherTargets, element?.target == .paywall,
            FragmentName(rawValue: name)?.requiredTarget == .subscriptionStatus
        else { return found }
        return findOwn(FragmentName.success.rawValue, action: action, target: target, element: element, values: values)
    }

    /// The ids of the elements that the variants have, sorted; empty if there is no such template. An id that is a value stands
    /// for the main entitlement's.
    func targets(of name: String, values: [String: String]) -> [String] {
        let ids = candidates(name, values: values).flatMap(\.roots.keys)
        return Set(ids.map { id in PageTarget.allCases.first { id == $0.placeholder }?.rawValue ?? id }).sorted()
    }

    private func candidates(_ name: String, values: [String: String]) -> [TemplateFile] {
        let language = values[TemplateValues.locale].flatMap { LanguageTag($0) }
        let keys = TemplateRenderer.keys(name, product: values["product"], language: language)
        let own = values[TemplateValues.entitlement].map { folder in keys.map { "\(folder)/\($0)" } } ?? []
        return (own + keys).compactMap { files[$0] }
    }

    private func findOwn(
        _ name: String,
        action: String,
        target: String?,
        element: PageElement?,
        values: [String: String]
    ) -> Found {
        let candidates = candidates(name, values: values)
        for file in candidates {
            if let template = file.root(action: action, target: target, element: element) { return .template(template) }
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

extension [String: String] {
    /// The values of a state change, with the date and price that `template` shows written in the user's language, and the
    /// date in the user's time zone. A broadcast's own values stay as its publisher wrote them.
    fileprivate func written(for template: Template, named name: String) -> [String: String] {
        guard FragmentName(rawValue: name) != nil else { return self }
        let format = self[TemplateValues.locale].flatMap { LanguageTag($0) }.map(LocalFormat.of)
        let zone = self[TemplateValues.timeZone].flatMap { TimeZoneName($0) }
        guard format != nil || self[TemplateValues.timeZone] != nil else { return self }
        var values = self
        for day in template.days {
            guard let end = self["\(day)_iso"].flatMap({ Instant(iso8601: $0) }) else { continue }
            let local = zone.flatMap { ZonedDay.local(end, in: $0) }
            // A node of another version may have taken a newer zone.
            if local == nil { values[TemplateValues.timeZone] = nil }
            values[day] = format?.date(local ?? end) ?? local?.longDate ?? self[day]
        }
        if let format, template.showsPrice, let price = self["price"] {
            values["price"] = format.price(price, currency: self["currency"] ?? "") ?? price
        }
        return values
    }
}

/// The element around a fragment: https://turbo.hotwired.dev/reference/streams
private func streamElement(
    action: String,
    target: String? = nil,
    targets: String? = nil,
    withTemplate: Bool = false,
    content: (inout [UInt8]) -> Void = { _ in }
) -> [UInt8] {
    var bytes = Array("<turbo-stream".utf8)
    for case (let name, let value?) in [("action", action), ("target", target), ("targets", targets)] {
        bytes.append(contentsOf: " \(name)=\"".utf8)
        HTMLEscaping.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
    if withTemplate {
        bytes.append(contentsOf: "<template>".utf8)
        content(&bytes)
        bytes.append(contentsOf: "</template>".utf8)
    }
    bytes.append(contentsOf: "</turbo-stream>".utf8)
    return bytes
}
