import Domain
import Encoding

/// The content of a `PAYCAST_CATALOG` file, or everything that is wrong with it.
///
/// `{"products":{"pro.yearly":{"group":"pro","level":2,"kind":"subscription","name":"Pro, yearly"}}}`: strict, because
/// a misspelled member would otherwise silently open or close access.
struct CatalogFile {
    private static let levels: ClosedRange<Int64> = 0...1_000_000
    private static let text = "a text of 1 to 255 bytes without control characters"

    private(set) var products: [String: Catalog.Product] = [:]
    /// One sentence for each problem.
    private(set) var problems: [String] = []

    init(_ text: String) {
        guard let node = JSONNode(text) else {
            problems = ["is not JSON"]
            return
        }
        guard let members = members(of: node, at: "the file") else { return }
        var listed: JSONNode?
        for (name, value) in members {
            if name == "products" { listed = value } else { problems.append("has an unknown member \(quoted(name))") }
        }
        guard let listed else {
            problems.append("has no member “products”")
            return
        }
        for (id, node) in self.members(of: listed, at: "products") ?? [] {
            if !isValidIdentifier(id) {
                problems.append("product id \(quoted(id)) must have 1 to 255 bytes and no control characters")
            }
            products[id] = product(id, node: node)
        }
    }

    private mutating func product(_ id: String, node: JSONNode) -> Catalog.Product? {
        guard let members = members(of: node, at: quoted(id)) else { return nil }
        var product = Catalog.Product.unknown
        for (name, value) in members {
            switch name {
            case "group": product.group = checked(text(value), name, of: id, CatalogFile.text)
            case "name": product.name = checked(text(value), name, of: id, CatalogFile.text)
            case "level":
                let level = value.integer.flatMap { CatalogFile.levels.contains($0) ? Int($0) : nil }
                let expected = "a whole number from 0 to \(CatalogFile.levels.upperBound)"
                product.level = checked(level, name, of: id, expected) ?? 0
            case "kind":
                let words = ProductKind.allCases.map(\.rawValue).joined(separator: ", ")
                let kind = value.text.flatMap(ProductKind.init(rawValue:))
                product.kind = checked(kind, name, of: id, "one of \(words)")
            case "duration":
                let duration = value.text.flatMap(Duration.init(iso8601:)).flatMap { $0 > .zero ? $0 : nil }
                let expected = "an ISO 8601 duration such as P1Y, P30D or PT12H"
                product.duration = checked(duration, name, of: id, expected)
            default: problems.append("\(quoted(id)) has an unknown member \(quoted(name))")
            }
        }
        if product.duration != nil, let kind = product.kind, kind != .nonRenewing {
            problems.append("\(quoted(id)) is a \(kind.rawValue) with a duration; only non_renewing products have one")
        }
        return product
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

extension Duration {
    private static let dateUnits: [Character: Int64] = ["Y": 365 * 86_400, "M": 30 * 86_400, "W": 604_800, "D": 86_400]
    private static let timeUnits: [Character: Int64] = ["H": 3600, "M": 60, "S": 1]

    /// Accepts whole numbers, each unit once and in order, up to a century; a year has 365 days and a month 30.
    init?(iso8601 text: String) {
        guard text.first == "P", text.utf8.count <= 32 else { return nil }
        let halves = text.dropFirst().split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count <= 2, !halves.allSatisfy(\.isEmpty), halves.count == 1 || halves.last?.isEmpty == false,
            let date = Duration.seconds(of: halves[0], units: Duration.dateUnits, order: "YMWD"),
            let time = halves.count == 1 ? 0 : Duration.seconds(of: halves[1], units: Duration.timeUnits, order: "HMS"),
            date + time <= 100 * 365 * 86_400
        else { return nil }
        self = .seconds(date + time)
    }

    private static func seconds(of text: Substring, units: [Character: Int64], order: Substring) -> Int64? {
        var rest = text
        var left = order
        var sum = Int64(0)
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.count <= 9, let count = Int64(digits), let unit = rest.dropFirst(digits.count).first,
                let place = left.firstIndex(of: unit), let length = units[unit]
            else { return nil }
            left = left[left.index(after: place)...]
            rest = rest.dropFirst(digits.count + 1)
            sum += count * length
        }
        return sum
    }
}
