import Domain
import Simulator
import Support

/// A store's events as a person types them: by the store's own names, or in words that mean the same for every store.
struct StoreEventParser {
    let vocabulary: LifecycleEventNames
    /// The store's documented names.
    let types: [String]

    struct Event: Equatable {
        var type: String
        var subtype: String?
        /// Its effect on the purchase; nil if that is unknown.
        var meaning: LifecycleStep?

        var label: String { subtype.map { "\(type)/\($0)" } ?? type }
    }

    /// The event that a person names, after those by which the store announces it. Throws for a plain word that is not one
    /// of ours. Any other name is taken for the store's, which may have added it.
    func events(_ text: String) throws(CommandFailure) -> [Event] {
        if let step = LifecycleStep(rawValue: text) {
            guard let event = event(for: step) else {
                let known = vocabulary.steps.map(\.rawValue).joined(separator: ", ")
                let advice = advice(step, known: known)
                throw CommandFailure("\(vocabulary.provider) has nothing like \(quoted(text)) \(advice)")
            }
            return [vocabulary.prelude(to: step).flatMap(self.event(for:)), event].compactMap { $0 }
        }
        let event = LifecycleEventNames.split(text)
        guard !event.type.isEmpty, event.subtype != "" else { throw CommandFailure("the type is empty") }
        let isPlainWord = text.utf8.allSatisfy { (97...122).contains($0) }
        guard !isPlainWord || types.contains(text) else {
            let known = vocabulary.steps.map(\.rawValue)
            throw CommandFailure("no event is named \(quoted(text))" + suggestion(for: text, among: known + types))
        }
        let meaning = vocabulary.step(of: event.type, subtype: event.subtype)
        return [Event(type: event.type, subtype: event.subtype, meaning: meaning)]
    }

    private func event(for step: LifecycleStep) -> Event? {
        vocabulary.event(for: step).map { Event(type: $0.type, subtype: $0.subtype, meaning: step) }
    }

    private func advice(_ step: LifecycleStep, known: String) -> String {
        let hasIt = LifecycleEventNames(vocabulary.provider, kind: .nonConsumable).event(for: step) != nil
        let hint = hasIt ? "; with --kind non_consumable it has" : ""
        return known.isEmpty ? "for what is bought once\(hint)" : "here; it has \(known)\(hint)"
    }

    /// The output of `--list`: our words with their events, then the store's own names.
    var list: String {
        let words = vocabulary.steps.map { step in
            let events = [vocabulary.prelude(to: step), step].compactMap { $0.flatMap(event(for:))?.label }
            return padded(step.rawValue, to: 12) + events.joined(separator: " → ")
        }
        return (words + [""] + types).joined(separator: "\n")
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
