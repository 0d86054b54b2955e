import Domain
import Simulator

/// Reads a scenario: one step per line, or several with arrows between them.
///
///     +31d DID_RENEW expect manage      # after 31 days; comments run to the end of the line
///     initial → renew → refund
struct ScenarioParser {
    private static let limit = 1000

    let words: StoreEventParser
    /// Leaves out the steps that the store does not know.
    var isLenient = false

    /// Its errors begin with the line, as in `3: …`.
    func parse(_ text: String) throws(CommandFailure) -> Scenario {
        var steps: [Scenario.Step] = []
        var followsGap = false
        // A carriage return followed by a line feed is one Character.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            for piece in pieces(of: line) {
                do throws(CommandFailure) {
                    var found = try self.steps(piece, line: index + 1, isFirst: steps.isEmpty)
                    // A step's result depends on the step that was left out.
                    if followsGap { for index in found.indices { found[index].expected = [] } }
                    followsGap = found.isEmpty
                    steps += found
                } catch {
                    throw CommandFailure("\(index + 1): \(error.message)")
                }
            }
            guard steps.count <= ScenarioParser.limit else {
                throw CommandFailure("\(index + 1): more than \(ScenarioParser.limit) steps")
            }
        }
        guard !steps.isEmpty else {
            throw CommandFailure("1: " + (isLenient ? "the store has none of its steps" : "there is no step"))
        }
        return Scenario(steps: steps)
    }

    private func pieces(of line: Substring) -> [[String]] {
        var pieces: [[String]] = [[]]
        for word in line.split(whereSeparator: \.isWhitespace) {
            if word.hasPrefix("#") { break }
            if word == "→" || word == "->" { pieces.append([]) } else { pieces[pieces.count - 1].append(String(word)) }
        }
        return pieces.filter { !$0.isEmpty }
    }

    /// Those of one word: what follows it belongs to the last, and the product to all.
    private func steps(_ piece: [String], line: Int, isFirst: Bool) throws(CommandFailure) -> [Scenario.Step] {
        var rest = piece[...]
        // At some stores, two statements from the same second have no order.
        var after = isFirst ? Duration.zero : .seconds(1)
        if let first = rest.first, first.hasPrefix("+") {
            after = try Duration(text: first.dropFirst())
            rest.removeFirst()
        }
        guard let name = rest.popFirst() else { throw CommandFailure("there is no event after the time") }
        if isLenient, let step = LifecycleStep(rawValue: name), words.vocabulary.event(for: step) == nil { return [] }
        var steps = Scenario.Step.all(try words.events(name), line: line, after: after)
        while let word = rest.popFirst() { try take(word, from: &rest, into: &steps[steps.count - 1]) }
        for index in steps.indices { steps[index].product = steps[steps.count - 1].product }
        return steps
    }

    private func take(
        _ word: String,
        from rest: inout ArraySlice<String>,
        into step: inout Scenario.Step
    ) throws(CommandFailure) {
        switch word {
        case "expect": step.expected.append(try Expectation(value(of: word, in: &rest)))
        case "outcome":
            let outcome = try value(of: word, in: &rest)
            let outcomes = Outcome.allCases.map(\.rawValue)
            guard outcomes.contains(outcome) else {
                let hint = suggestion(for: outcome, among: outcomes)
                throw CommandFailure("no outcome is named \(quoted(outcome))" + hint)
            }
            step.outcome = outcome
        case "product": step.product = try value(of: word, in: &rest)
        case "duplicate":
            guard let copies = Int(try value(of: word, in: &rest)), (1...1000).contains(copies) else {
                throw CommandFailure("duplicate must be followed by a number from 1 to 1000")
            }
            step.faults.copies = copies
        case "delay": step.faults.delay = try Duration(text: value(of: word, in: &rest)[...])
        case "tamper": step.faults.isTampered = true
        case "stale": step.faults.isStale = true
        case "lose": step.faults.isLost = true
        default: throw CommandFailure("\(quoted(word)) means nothing here" + suggestion(for: word, among: stepWords))
        }
    }

    private func value(of word: String, in rest: inout ArraySlice<String>) throws(CommandFailure) -> String {
        guard let value = rest.popFirst() else { throw CommandFailure("\(word) needs a value after it") }
        return value
    }
}

private let stepWords = ["expect", "outcome", "product", "duplicate", "delay", "tamper", "stale", "lose"]
