import Domain
import Simulator

/// A store's events as a person types them: by the store's own names, or in words that mean the same for every store.
struct StoreEventParser {
    let vocabulary: LifecycleEventNames
    /// The store's documented names.
    let types: [String]

    struct Event: Equatable {
        var type: String
        var subtype: String?
        var meaning: LifecycleStep?
        /// Events that the store sends before it.
        var prelude: [Event] = []
    }

    init(_ store: any SimulatedStore, kind: ProductKind = .subscription) {
        let store = type(of: store)
        self.init(LifecycleEventNames(store.provider, kind: kind), types: store.types)
    }

    init(_ vocabulary: LifecycleEventNames, types: [String]) {
        self.vocabulary = vocabulary
        self.types = types
    }

    /// Throws for a plain word that is not one of ours. Any other name is taken for the store's, which may have added
    /// it.
    func event(_ text: String) throws(ScenarioError) -> Event {
        if let step = LifecycleStep(rawValue: text) {
            guard let event = vocabulary.event(for: step) else {
                let known = vocabulary.steps.map(\.rawValue).joined(separator: ", ")
                let advice = advice(step, known: known)
                throw ScenarioError("\(vocabulary.provider) has nothing like \(quoted(text)) \(advice)")
            }
            let prelude = try vocabulary.prelude(to: step).map { (first: LifecycleStep) throws(ScenarioError) in
                [try self.event(first.rawValue)]
            }
            return Event(type: event.type, subtype: event.subtype, meaning: step, prelude: prelude ?? [])
        }
        let event = LifecycleEventNames.split(text)
        guard !event.type.isEmpty, event.subtype != "" else { throw ScenarioError("the type is empty") }
        let isPlainWord = text.utf8.allSatisfy { (97...122).contains($0) }
        guard !isPlainWord || types.contains(text) else {
            let known = vocabulary.steps.map(\.rawValue)
            throw ScenarioError("no event is named \(quoted(text))" + suggestion(for: text, among: known + types))
        }
        return Event(
            type: event.type,
            subtype: event.subtype,
            meaning: vocabulary.step(of: event.type, subtype: event.subtype)
        )
    }

    private func advice(_ step: LifecycleStep, known: String) -> String {
        let hasIt = LifecycleEventNames(vocabulary.provider, kind: .nonConsumable).event(for: step) != nil
        let hint = hasIt ? "; with --kind non_consumable it has" : ""
        return known.isEmpty ? "for what is bought once\(hint)" : "here; it has \(known)\(hint)"
    }

    /// The output of `--list`: our words with their events, then the store's own names.
    var list: String {
        let words = vocabulary.steps.map { step in
            let first = vocabulary.prelude(to: step).map { name(of: $0) + " → " } ?? ""
            return padded(step.rawValue, to: 12) + first + name(of: step)
        }
        return (words + [""] + types).joined(separator: "\n")
    }

    private func name(of step: LifecycleStep) -> String {
        guard let event = vocabulary.event(for: step) else { return "" }
        return event.subtype.map { "\(event.type)/\($0)" } ?? event.type
    }

    /// Nil for a type that the store documents.
    func refusal(of type: String) -> String? {
        guard !types.contains(type) else { return nil }
        return "no event is named \(quoted(type))\(suggestion(for: type, among: types)); --force sends it anyway"
    }

    /// Stores add types, so a scenario or `--force` sends even an unknown type.
    func hint(about type: String) -> String? {
        guard !types.contains(type) else { return nil }
        let store = vocabulary.provider.rawValue
        let name = store.prefix(1).uppercased() + store.dropFirst()
        let near = nearest(to: type, among: types).map { "; did you mean \($0)?" } ?? ""
        return "\(name) documents no type \(quoted(type)), sent as it is\(near)"
    }
}
