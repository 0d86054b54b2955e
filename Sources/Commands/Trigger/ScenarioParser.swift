import Domain
import Simulator

/// Reads a scenario: one step per line, or several with arrows between them.
///
///     +31d DID_RENEW expect manage      # after 31 days; comments run to the end of the line
///     initial → renew → refund
struct ScenarioParser {
    private static let limit = 1000

    private let words: StoreEventParser
    /// Leaves out the steps that the store does not know.
    private let isLenient: Bool

    init(_ words: StoreEventParser, isLenient: Bool = false) {
        self.words = words
        self.isLenient = isLenient
    }

    func parse(_ text: String) throws(ScenarioError) -> Scenario {
        var steps: [Scenario.Step] = []
        var followsGap = false
        // A carriage return followed by a line feed is one Character.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            for piece in pieces(of: line) {
                do throws(ScenarioError) {
                    let step = try step(piece, line: index + 1, isFirst: steps.isEmpty)
                    defer { followsGap = step == nil }
                    guard var step else { continue }
                    // The step's result depends on the step that was left out.
                    if followsGap { step.expected = [] }
                    steps += step.withPrelude
                } catch {
                    throw error.at(index + 1)
                }
            }
            guard steps.count <= ScenarioParser.limit else {
                throw ScenarioError("more than \(ScenarioParser.limit) steps").at(index + 1)
            }
        }
        guard !steps.isEmpty else {
            throw ScenarioError(isLenient ? "the store has none of its steps" : "there is no step").at(1)
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

    private func step(_ piece: [String], line: Int, isFirst: Bool) throws(ScenarioError) -> Scenario.Step? {
        var rest = piece[...]
        // At some stores, two statements from the same second have no order.
        var after = isFirst ? Duration.zero : .seconds(1)
        if let first = rest.first, first.hasPrefix("+") {
            after = try duration(first.dropFirst())
            rest.removeFirst()
        }
        guard let name = rest.popFirst() else { throw ScenarioError("there is no event after the time") }
        guard let event = try event(name) else { return nil }
        var step = Scenario.Step(event, line: line, after: after)
        while let word = rest.popFirst() { try take(word, from: &rest, into: &step) }
        return step
    }

    private func event(_ name: String) throws(ScenarioError) -> StoreEventParser.Event? {
        do throws(ScenarioError) {
            return try words.event(name)
        } catch {
            if isLenient, LifecycleStep(rawValue: name) != nil { return nil }
            throw error
        }
    }

    private func take(
        _ word: String,
        from rest: inout ArraySlice<String>,
        into step: inout Scenario.Step
    ) throws(ScenarioError) {
        switch word {
        case "expect": step.expected.append(try Expectation(value(of: word, in: &rest)))
        case "outcome":
            let outcome = try value(of: word, in: &rest)
            let outcomes = Outcome.allCases.map(\.rawValue)
            guard outcomes.contains(outcome) else {
                let hint = suggestion(for: outcome, among: outcomes)
                throw ScenarioError("no outcome is named \(quoted(outcome))" + hint)
            }
            step.outcome = outcome
        case "product": step.product = try value(of: word, in: &rest)
        case "duplicate":
            guard let copies = Int(try value(of: word, in: &rest)), (1...1000).contains(copies) else {
                throw ScenarioError("duplicate must be followed by a number from 1 to 1000")
            }
            step.faults.copies = copies
        case "delay": step.faults.delay = try duration(value(of: word, in: &rest)[...])
        case "tamper": step.faults.isTampered = true
        case "stale": step.faults.isStale = true
        case "lose": step.faults.isLost = true
        default: throw ScenarioError("\(quoted(word)) means nothing here" + suggestion(for: word, among: stepWords))
        }
    }

    private func value(of word: String, in rest: inout ArraySlice<String>) throws(ScenarioError) -> String {
        guard let value = rest.popFirst() else { throw ScenarioError("\(word) needs a value after it") }
        return value
    }

    private func duration(_ text: Substring) throws(ScenarioError) -> Duration {
        do { return try Duration(text: text) } catch { throw ScenarioError(error.message) }
    }
}

private let stepWords = ["expect", "outcome", "product", "duplicate", "delay", "tamper", "stale", "lose"]
