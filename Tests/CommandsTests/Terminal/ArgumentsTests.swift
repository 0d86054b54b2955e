import Testing

@testable import Commands

@Suite struct ArgumentsTests {
    @Test(arguments: [["--port", "80"], ["--port=80"], ["x", "--port", "80"], ["--port", "80", "x"]])
    func takesAnOptionInBothSpellings(_ words: [String]) throws {
        var arguments = Arguments(words)
        #expect(try arguments.option("--port") == "80")
    }

    @Test func takesFlagsListsAndWordsInAnyOrder() throws {
        var arguments = Arguments(["a", "--value", "x=1", "--dev", "b", "--value=y=2=3", "--", "--c"])
        #expect(try arguments.pairs("--value").map { "\($0.key):\($0.value)" } == ["x:1", "y:2=3"])
        #expect(try arguments.flag("--dev"))
        #expect(try arguments.positional() == "a")
        #expect(try arguments.positional() == "b")
        #expect(try arguments.positional() == "--c")
        #expect(try arguments.positional() == nil)
        try arguments.finish()
    }

    @Test func hyphenAndNegativeNumberAreValues() throws {
        var arguments = Arguments(["--html", "-", "--port", "-1"])
        #expect(try arguments.option("--html") == "-")
        #expect(try arguments.option("--port") == "-1")
    }

    struct Misuse: Sendable, CustomTestStringConvertible {
        var words: [String]
        var message: String

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Misuse(words: ["--prot", "1"], message: "unknown option “--prot”. Did you mean --port?"),
        Misuse(words: ["--port"], message: "--port needs a value"),
        Misuse(words: ["--port", "--dev"], message: "--port needs a value"),
        Misuse(words: ["--dev=1"], message: "--dev takes no value"),
        Misuse(words: ["--port", "1", "--port=2"], message: "--port is given more than once"),
        Misuse(words: ["--dev", "--dev"], message: "--dev is given more than once"),
        Misuse(words: ["--dev", "x"], message: "unexpected argument “x”"),
        Misuse(words: ["-p"], message: "unknown option “-p”. Choose one of --port, --dev"),
    ]) func refuses(_ misuse: Misuse) {
        #expect(throws: UsageError(misuse.message)) {
            var arguments = Arguments(misuse.words)
            _ = try arguments.option("--port")
            _ = try arguments.flag("--dev")
            try arguments.finish()
        }
    }

    @Test func typedValuesAreChecked() {
        #expect(throws: UsageError("--limit must be a number from 1 to 9, not “ten”")) {
            var arguments = Arguments(["--limit", "ten"])
            _ = try arguments.number("--limit", in: 1...9)
        }
        #expect(throws: UsageError("--provider cannot be “aple”. Did you mean apple?")) {
            var arguments = Arguments(["--provider", "aple"])
            _ = try arguments.choice("--provider", among: ["apple", "google"])
        }
        #expect(throws: UsageError("--value must be KEY=VALUE, not “=1”")) {
            var arguments = Arguments(["--value", "=1"])
            _ = try arguments.pairs("--value")
        }
    }
}
