import Domain
import Encoding
import HTTP
import Stores

/// Which events a live list shows, as its address says. Lists with the same filter share one stream.
struct LiveFilter: Sendable, Equatable {
    static let outcomes = Outcome.allCases.map(\.rawValue)
    static let environments = StoreEnvironment.allCases.map(\.rawValue)
    static let providers = Stores.names

    private static let closed = [
        (name: "provider", known: providers), (name: "environment", known: environments),
        (name: "outcome", known: outcomes),
    ]
    private static let open = ["type", "product", "user"]

    /// In a fixed order, without those that are empty.
    let parameters: [(name: String, value: String)]

    /// A field of a form that was left empty is no filter.
    init(_ query: Query) {
        parameters = (LiveFilter.closed.map(\.name) + LiveFilter.open).compactMap { name in
            query[name].flatMap { $0.isEmpty ? nil : (name, $0) }
        }
    }

    subscript(name: String) -> String { parameters.first { $0.name == name }?.value ?? "" }

    /// Why it can show nothing, with the value that is wrong; nil if it can.
    var refusal: String? {
        for (name, known) in LiveFilter.closed where !self[name].isEmpty && !known.contains(self[name]) {
            return "No \(name) is called “\(InertText.of(self[name]))”: it is one of \(known.joined(separator: ", "))."
        }
        for name in LiveFilter.open where !self[name].isEmpty && !isValidIdentifier(self[name]) {
            return "A \(name) has at most 255 bytes and no control characters."
        }
        return nil
    }

    /// What it means that an answer has nothing: a name may be written wrongly, or lie further back.
    func none(isWhole: Bool) -> String {
        let open = LiveFilter.open.filter { !self[$0].isEmpty }.map { "\($0) “\(InertText.of(self[$0]))”" }
        let what = open.isEmpty ? "No such event" : "No event of the " + open.joined(separator: " and the ")
        let place = isWhole ? "has ever come" : "is among the 20,000 that were looked through"
        let hint = open.isEmpty ? "" : " A name is taken whole, as the store or your app writes it."
        return "\(what) \(place).\(hint)"
    }

    /// For an address, with `&` behind each.
    var text: String { parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))&" }.joined() }

    /// No page can name it, as no page can name a feed. Who follows one of an older generation is told nothing more.
    func stream(generation: Int) -> StreamName { .feed("console/\(generation)/" + text) }

    static func == (left: LiveFilter, right: LiveFilter) -> Bool { left.text.hasSameBytes(as: right.text) }
}
