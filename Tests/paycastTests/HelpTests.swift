import Commands
import TestSupport
import Testing

@testable import paycast

@Suite struct HelpTests {
    @Test func fitsATerminal() {
        for text in Program.commands.map({ $0.help }) + [Program.overview] {
            #expect(text.split(separator: "\n").filter { $0.count > 80 }.isEmpty)
            #expect(!text.hasSuffix("\n"))
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var words: [String]

        var testDescription: String { name }
    }

    @Test(arguments: [
        Example(name: "serve", words: []), Example(name: "demo", words: []), Example(name: "tail", words: []),
        Example(name: "trigger", words: ["apple", "TEST"]), Example(name: "sign", words: ["x"]),
        Example(name: "replay", words: ["--user", "1"]), Example(name: "recover", words: ["apple"]),
        Example(name: "grant", words: ["--user", "1", "--product", "p", "--forever", "--reason", "x"]),
        Example(name: "revoke", words: ["--user", "1", "--grant", "g", "--reason", "x"]),
        Example(name: "import", words: ["list.csv"]), Example(name: "export", words: ["--user", "1"]),
        Example(name: "erase", words: ["--user", "1", "--reason", "x"]),
        Example(name: "doctor", words: []), Example(name: "migrate", words: []), Example(name: "backup", words: ["x"]),
        Example(name: "copy", words: ["--from", "sqlite:a.db", "--to", "sqlite:b.db"]),
        Example(name: "alerts", words: []), Example(name: "dashboard", words: []), Example(name: "hooks", words: []),
        Example(name: "restore", words: ["x"]), Example(name: "release", words: []),
        Example(name: "completions", words: ["bash"]),
        Example(name: "publish", words: ["--user", "1", "--html", "x"]),
        Example(name: "order", words: ["--user", "1", "--product", "p"]), Example(name: "version", words: []),
    ]) func namesEveryOptionAndNoOther(_ example: Example) throws {
        let command = try #require(Program.commands.first { $0.name == example.name })
        var arguments = Arguments(example.words)
        _ = try command.init(&arguments)
        #expect(Set(command.options.map(\.name)) == Set(arguments.known))
    }

    @Test func saysHowEachCommandIsUsed() {
        for command in Program.commands { #expect(command.help.contains("\nUsage: paycast \(command.name)")) }
    }
}
