import Testing

@testable import Commands

@Suite struct ShownElementsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// One letter an element; `r` is a refresh.
        var before: String
        var repeated: String
        var new: String
    }

    @Test(arguments: [
        Case(testDescription: "everything", before: "abc", repeated: "abcd", new: "d"),
        Case(testDescription: "without what was transient", before: "abc", repeated: "acd", new: "d"),
        Case(testDescription: "nothing", before: "abc", repeated: "de", new: "de"),
        Case(testDescription: "equal elements", before: "aa", repeated: "aaa", new: "a"),
        Case(testDescription: "one that came again", before: "aba", repeated: "ba", new: ""),
        Case(testDescription: "one that comes again", before: "ab", repeated: "ba", new: "a"),
        Case(testDescription: "after something new", before: "abc", repeated: "adc", new: "dc"),
        Case(testDescription: "a refresh for what is lost", before: "abc", repeated: "arc", new: "r"),
        Case(testDescription: "a refresh as before", before: "arc", repeated: "arcrd", new: "rrd"),
        Case(testDescription: "letters that Unicode takes for one", before: "K", repeated: "\u{212A}", new: "\u{212A}"),
    ]) func areNotShownAgain(_ given: Case) {
        var shown = ShownElements()
        let before = add(given.before, to: &shown)
        #expect(Array(before.utf8) == Array(given.before.utf8), "nothing is repeated yet")
        shown.beginRepetition()
        let new = add(given.repeated, to: &shown)
        #expect(Array(new.utf8) == Array(given.new.utf8))
    }

    /// Equal elements are new once nothing came for a second, or for some seconds at most.
    @Test func endWithTime() {
        var shown = ShownElements()
        _ = add("aaaaaaa", to: &shown)
        shown.beginRepetition()
        shown.tick()
        let prompt = add("a", to: &shown)
        shown.tick()
        shown.tick()
        let late = add("a", to: &shown)
        #expect(prompt.isEmpty && late == "a")
        shown.beginRepetition()
        let steady = (1...7).map { _ in
            shown.tick()
            return add("a", to: &shown)
        }
        #expect(steady == ["", "", "", "", "", "a", "a"])
    }

    @Test func endWithTheServersGoodbye() {
        var shown = ShownElements()
        _ = add("ab", to: &shown)
        shown.forget()
        let isEmpty = shown.isEmpty
        shown.beginRepetition()
        #expect(isEmpty && add("b", to: &shown) == "b")
    }

    @Test func areBounded() {
        var shown = ShownElements()
        for number in 0..<250_000 { _ = shown.add(StreamElement(html: "\(number)")) }
        shown.beginRepetition()
        let isNew = ["249999", "0"].map { shown.add(StreamElement(html: $0)) }
        #expect(isNew == [false, true])
    }

    private func add(_ letters: String, to shown: inout ShownElements) -> String {
        letters.unicodeScalars.map(String.init).filter { letter in
            var element = StreamElement(html: letter)
            if letter == "r" { element.action = "refresh" }
            return shown.add(element)
        }.joined()
    }
}
