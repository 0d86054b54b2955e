import Domain
import Encoding
import Support

/// The content of a `PAYCAST_CATALOG` file, or everything that is wrong with it.
///
/// `{"entitlements":{"pro":{"name":"Pro"}},"products":{"pro.yearly":{"entitlements":["pro"],"group":"pro","level":2,
/// "kind":"subscription","name":"Pro, yearly"}}}`: strict, because a misspelled member would otherwise silently open or
/// close access.
struct CatalogFile {
    private static let levels: ClosedRange<Int64> = 0...1_000_000
    /// App Store Connect's, where 1 is the highest.
    private static let groupLevels: ClosedRange<Int64> = 1...1_000_000
    private static let text = "a text of 1 to 255 bytes without control characters"

    private(set) var catalog = Catalog()
    private var products: [String: Catalog.Product] = [:]
    private var entitlements: [EntitlementName] = []
    private var titles: [EntitlementName: Catalog.Name] = [:]
    /// The products whose levels are counted up, and those whose levels are counted as Apple counts.
    private var (counted, ranked): (Set<String>, Set<String>) = ([], [])
    /// One sentence for each problem.
    private(set) var problems: [String] = []

    init(_ text: String) {
        guard let node = JSONNode(text) else {
            problems = ["is not JSON"]
            return
        }
        guard let members = members(of: node, at: "the file") else { return }
        var listed: JSONNode?
        var named: JSONNode?
        for (name, value) in members {
            switch name {
            case "products": listed = value
            case "entitlements": named = value
            default: problems.append("has an unknown member \(quoted(name))")
            }
        }
        guard let listed else {
            problems.append("has no member “products”")
            return
        }
        if let named { readEntitlements(named) }
        let products = self.members(of: listed, at: "products") ?? []
        for (id, node) in products {
            if !isValidIdentifier(id) {
                problems.append("product id \(quoted(id)) must have 1 to 255 bytes and no control characters")
            }
            self.products[id] = product(id, node: node)
        }
        refuseMixedLevels()
        catalog = Catalog(self.products, entitlements: entitlements, titles: titles, order: products.map(\.0))
    }

    private mutating func readEntitlements(_ node: JSONNode) {
        guard let members = members(of: node, at: "entitlements") else { return }
        if members.isEmpty { problems.append("entitlements names none; leave it out, or name the first") }
        for (text, node) in members {
            guard let name = EntitlementName(text) else {
                problems.append("entitlement \(quoted(text)) must have 1 to 64 of a-z, 0-9, _ and -")
                continue
            }
            entitlements.append(name)
            for (member, value) in self.members(of: node, at: quoted(text)) ?? [] {
                if member == "name" {
                    titles[name] = called(value, text)
                } else {
                    problems.append("\(quoted(text)) has an unknown member \(quoted(member))")
                }
            }
        }
    }

    /// The entitlements that a product opens, in the order in which the file names them.
    private mutating func opened(_ node: JSONNode, by id: String) -> [EntitlementName] {
        guard case .array(let items) = node, items.allSatisfy({ $0.text != nil }) else {
            problems.append("\(quoted(id)): entitlements is not a list of names")
            return []
        }
        let names = items.compactMap(\.text)
        for name in names where !entitlements.contains(where: { $0.description.hasSameBytes(as: name) }) {
            let near = nearest(to: name, among: entitlements.map(\.description)).map { "; did you mean \(quoted($0))?" }
            problems.append("\(quoted(id)) opens \(quoted(name)), which “entitlements” does not name\(near ?? "")")
        }
        return entitlements.filter { entitlement in names.contains { $0.hasSameBytes(as: entitlement.description) } }
    }

    /// Levels that run in opposite directions cannot be compared. Products without a group may be in one at their store.
    private mutating func refuseMixedLevels() {
        for id in counted.intersection(ranked).sorted() {
            problems.append(
                "\(quoted(id)) has both level and group_level; they count in opposite directions, so keep one"
            )
        }
        func groups(_ ids: Set<String>) -> Set<String?> { Set(ids.map { products[$0]?.group }) }
        let (up, down) = (counted.subtracting(ranked), ranked.subtracting(counted))
        for group in groups(up).intersection(groups(down)).sorted(by: { $0 ?? "" < $1 ?? "" }) {
            let place = group.map { "group \(quoted($0)) has" } ?? "products without a group have"
            problems.append("\(place) both level and group_level; they count in opposite directions, so keep one")
        }
    }

    private mutating func product(_ id: String, node: JSONNode) -> Catalog.Product? {
        guard let members = members(of: node, at: quoted(id)) else { return nil }
        var product = Catalog.Product.unknown
        for (name, value) in members {
            switch name {
            case "group": product.group = checked(text(value), name, of: id, CatalogFile.text)
            case "name": product.name = called(value, id)
            case "entitlements": product.entitlements = opened(value, by: id)
            case "level":
                let level = value.integer.flatMap { CatalogFile.levels.contains($0) ? Int($0) : nil }
                let expected = "a whole number from 0 to \(CatalogFile.levels.upperBound)"
                product.level = checked(level, name, of: id, expected) ?? 0
                counted.insert(id)
            case "group_level":
                let level = value.integer.flatMap { CatalogFile.groupLevels.contains($0) ? Int($0) : nil }
                let expected = "a whole number from 1 to \(CatalogFile.groupLevels.upperBound)"
                // Above a product that has none.
                product.level =
                    checked(level, name, of: id, expected).map { 1 + Int(CatalogFile.groupLevels.upperBound) - $0 } ?? 0
                ranked.insert(id)
            case "kind":
                let words = ProductKind.allCases.map(\.rawValue).joined(separator: ", ")
                let kind = value.text.flatMap(ProductKind.init(rawValue:))
                product.kind = checked(kind, name, of: id, "one of \(words)")
            case "duration":
                let duration = value.text.flatMap(CalendarDuration.init(iso8601:)).flatMap {
                    $0 == .seconds(0) ? nil : $0
                }
                let expected = "an ISO 8601 duration such as P1Y, P30D or PT12H"
                product.duration = checked(duration, name, of: id, expected)
            default: problems.append("\(quoted(id)) has an unknown member \(quoted(name))")
            }
        }
        if product.kind == .consumable, !product.entitlements.isEmpty {
            problems.append("\(quoted(id)) is a consumable with entitlements; a consumable opens none")
        }
        if product.duration != nil, let kind = product.kind, kind != .nonRenewing {
            problems.append("\(quoted(id)) is a \(kind.rawValue) with a duration; only non_renewing products have one")
        }
        return product
    }

    /// One name for all, or one for each language, the first of them also for readers of any other.
    private mutating func called(_ node: JSONNode, _ id: String) -> Catalog.Name? {
        guard node.isObject else {
            return checked(text(node), "name", of: id, CatalogFile.text).map { Catalog.Name($0) }
        }
        let members = self.members(of: node, at: "\(quoted(id)): name") ?? []
        if members.isEmpty { problems.append("\(quoted(id)): name has no language") }
        var name: Catalog.Name?
        for (tag, value) in members {
            guard let language = LanguageTag(tag) else {
                problems.append("\(quoted(id)): name has \(quoted(tag)), which is no language tag such as de or pt-BR")
                continue
            }
            if name?.translations[language] != nil { problems.append("\(quoted(id)): name has \(language) twice") }
            let text = checked(self.text(value), "name in \(language)", of: id, CatalogFile.text) ?? ""
            name = name ?? Catalog.Name(text)
            name?.translations[language] = text
        }
        return name
    }

    /// An object's members; a repeated name is a problem.
    private mutating func members(of node: JSONNode, at place: String) -> [(String, JSONNode)]? {
        guard case .object(let members) = node else {
            problems.append("\(place) is not an object")
            return nil
        }
        var seen: Set<String> = []
        var read: [(String, JSONNode)] = []
        for member in members {
            guard let name = member.name else {
                problems.append("\(place) has a member whose name is not UTF-8")
                continue
            }
            guard seen.insert(name).inserted else {
                problems.append("\(place) has \(quoted(name)) twice")
                continue
            }
            read.append((name, member.value))
        }
        return read
    }

    private func text(_ value: JSONNode) -> String? { value.text.flatMap { isValidIdentifier($0) ? $0 : nil } }

    /// `expected` says what a value that is nil should have been.
    private mutating func checked<Value>(_ value: Value?, _ name: String, of id: String, _ expected: String) -> Value? {
        if value == nil { problems.append("\(quoted(id)): \(name) is not \(expected)") }
        return value
    }
}

extension CalendarDuration {
    /// Accepts whole numbers, each unit once and in order, up to a century.
    init?(iso8601 text: String) {
        let units = /P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?/
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ $0 < 128 }), let found = text.wholeMatch(of: units)?.output
        else { return nil }
        let texts = [found.1, found.2, found.3, found.4, found.5, found.6, found.7]
        guard texts.allSatisfy({ $0?.count ?? 0 <= 9 }) else { return nil }
        let counts = texts.map { $0.flatMap { Int($0) } ?? 0 }
        let months = counts[0] * 12 + counts[1]
        let seconds = zip(counts.dropFirst(2), [604_800, 86_400, 3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        // 400 years have 4,800 months and 146,097 days.
        guard months * 146_097 * 86_400 / 4800 + seconds <= 36_525 * 86_400 else { return nil }
        self.init(months: months, rest: .seconds(seconds))
    }
}
