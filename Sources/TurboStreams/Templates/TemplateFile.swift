internal import Domain

/// One file of `public/fragments/`: an element for each page target that it replaces, with that target's id.
struct TemplateFile: Equatable {
    /// By id.
    let roots: [String: Template]

    /// `key` is the file's name without `.html`.
    init(key: String, source: [UInt8]) throws(TemplateError) {
        guard let name = TemplateFile.name(of: key) else { throw .fileName }
        guard String(validating: source, as: UTF8.self) != nil else { throw .notUTF8 }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let source = source.starts(with: byteOrderMark) ? Array(source.dropFirst(3)) : source
        let elements: [HTMLElement]
        do { elements = try HTMLElement.topLevel(of: source) } catch { throw .syntax(error) }
        let page = FragmentName(rawValue: name)
        try TemplateFile.checkTargets(of: elements, name: name, page: page)
        var roots: [String: Template] = [:]
        for element in elements {
            let id = element.id ?? ""
            guard roots[id] == nil else { throw .duplicateID(id) }
            roots[id] = try Template(source, range: element.range, values: page == nil ? nil : TemplateValues.names)
        }
        self.roots = roots
    }

    /// The part before the first dot; nil when no fragment could have that name.
    static func name(of key: String) -> String? {
        let name = key.prefix { $0 != "." }
        guard !name.isEmpty, name.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) || $0 == 95 }),
            name.utf8.count == key.utf8.count || key.utf8.count > name.utf8.count + 1
        else { return nil }
        return String(name)
    }

    /// The element that `action` puts at `target`: the one with that id, or the only element if ids need not match.
    func root(action: String, target: String?) -> Template? {
        if let target, let root = roots[target] { return root }
        guard target == nil || action != "replace", roots.count == 1 else { return nil }
        return roots.values.first
    }
}
