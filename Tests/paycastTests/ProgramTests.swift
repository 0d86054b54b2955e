import Commands
import TestSupport
import Testing

@testable import paycast

/// The real binary: what it prints where, and its exit code.
@Suite(.blocking) struct ProgramTests {
    struct Misuse: Sendable, CustomTestStringConvertible {
        var words: [String]
        var hint: String

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Misuse(words: [], hint: "which command?"),
        Misuse(words: ["tial"], hint: "Did you mean tail?"),
        Misuse(words: ["help", "srve"], hint: "Did you mean serve?"),
        Misuse(words: ["serve", "--prot", "1"], hint: "Did you mean --port?"),
        Misuse(words: ["serve", "--port", "99999"], hint: "--port"),
        Misuse(words: ["serve", "--port"], hint: "--port needs a value"),
        Misuse(words: ["serve", "--database", "mysql://x"], hint: "--database"),
        Misuse(words: ["demo", "--database", "sqlite:x"], hint: "--database"),
        Misuse(words: ["tail", "--until", "tpe=EXPIRED"], hint: "Did you mean type?"),
        Misuse(words: ["tail", "--outcome", "aplied"], hint: "Did you mean applied?"),
        Misuse(words: ["tail", "--since", "yesterday"], hint: "--since"),
        Misuse(words: ["tail", "extra"], hint: "unexpected argument"),
        Misuse(words: ["trigger", "aple", "TEST"], hint: "Did you mean apple?"),
        Misuse(words: ["trigger", "apple"], hint: "TYPE"),
        Misuse(words: ["trigger", "apple", "TEST", "--order", "1"], hint: "UUID"),
        Misuse(words: ["trigger", "apple", "TEST", "--expect", "success"], hint: "--user"),
        Misuse(words: ["trigger", "apple", "TEST", "--user", ""], hint: "1 to 255 bytes"),
        Misuse(
            words: ["trigger", "apple", "TEST", "--user", "1", "--expect", "sucess"],
            hint: "Did you mean success?"
        ),
        Misuse(words: ["trigger", "apple", "TEST", "--scenario", "life"], hint: "TYPE"),
        Misuse(words: ["trigger", "apple", "TEST", "--duplicate", "0"], hint: "--duplicate"),
        Misuse(words: ["trigger", "apple", "TEST", "--shuffle=x"], hint: "--shuffle"),
        Misuse(words: ["replay"], hint: "--event"),
        Misuse(words: ["replay", "--since", "yesterday"], hint: "--since"),
        Misuse(words: ["replay", "--user", "1", "--dry-run", "--broadcast"], hint: "either"),
        Misuse(words: ["recover"], hint: "recover apple"),
        Misuse(words: ["recover", "aple"], hint: "Did you mean apple?"),
        Misuse(words: ["recover", "apple", "--since", "yesterday"], hint: "7d"),
        Misuse(words: ["doctor", "--server", "pay.example.com"], hint: "https://"),
        Misuse(words: ["tail", "--server", "localhost:8080"], hint: "https://"),
        Misuse(words: ["publish", "--user", "1"], hint: "--html"),
        Misuse(words: ["publish", "--html", "x"], hint: "--user or --stream"),
        Misuse(words: ["publish", "--user", "1", "--html", "x", "--value", "a=b"], hint: "--template"),
        Misuse(words: ["sign"], hint: "sign NAME"),
        Misuse(words: ["order", "--user", "1"], hint: "--product"),
        Misuse(words: ["version", "--verbose"], hint: "unknown option"),
        Misuse(words: ["import"], hint: "which list?"),
        Misuse(words: ["import", "a.csv", "b.csv"], hint: "unexpected argument"),
        Misuse(words: ["import", "a.csv", "--rate", "0"], hint: "--rate must be a number from 1 to 1000"),
        Misuse(words: ["erase", "--usr", "42"], hint: "Did you mean --user?"),
        Misuse(words: ["export", "--usr", "42"], hint: "Did you mean --user?"),
        Misuse(words: ["grant", "--usr", "42", "--product", "p"], hint: "Did you mean --user?"),
        Misuse(words: ["grant", "--user", "42", "--prodct", "p"], hint: "Did you mean --product?"),
        Misuse(words: ["revoke", "--user", "42", "--gant", "g"], hint: "Did you mean --grant?"),
        Misuse(words: ["order", "--user", "1", "--prodcut", "p"], hint: "Did you mean --product?"),
        Misuse(words: ["publish", "--usr", "1", "--html", "x"], hint: "Did you mean --user?"),
        Misuse(words: ["replay", "--usr", "1"], hint: "Did you mean --user?"),
        Misuse(words: ["tail", "--page", "--usr", "1"], hint: "Did you mean --user?"),
        Misuse(words: ["copy", "--form", "sqlite:a.db", "--to", "sqlite:b.db"], hint: "Did you mean --from?"),
        Misuse(words: ["order", "--user", "1", "--provider", "apple"], hint: "--product is missing"),
        Misuse(words: ["sign", "-x"], hint: "“-x”. Choose one of --expires-in, --help\n"),
    ]) func wrongCommandLineExits64(_ misuse: Misuse) throws {
        let process = PaycastProgram.start(misuse.words)
        #expect(try process.waitForExit() == 64)
        #expect(process.output.isEmpty)
        #expect(process.errors.contains(misuse.hint))
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]]) func overviewGoesToStdout(_ words: [String]) throws {
        let process = PaycastProgram.start(words)
        #expect(try process.waitForExit() == 0)
        #expect(process.output == Program.overview + "\n")
        #expect(process.errors.isEmpty)
    }

    @Test(arguments: [
        "serve", "demo", "tail", "trigger", "replay", "recover", "doctor", "publish", "sign", "order", "version",
        "backup", "restore", "release", "completions", "import",
    ])
    func everyCommandHasHelp(_ name: String) throws {
        for words in [[name, "--help"], ["help", name], [name, "--nonsense", "-h"]] {
            let process = PaycastProgram.start(words)
            #expect(try process.waitForExit() == 0)
            #expect(process.output == Program.commands.first { $0.name == name }.map { $0.help + "\n" })
            #expect(process.errors.isEmpty)
        }
    }

    @Test(arguments: [
        ["tail"], ["replay", "--user", "1"], ["recover", "apple"], ["publish", "--user", "1", "--html", "x"],
        ["order", "--user", "1", "--product", "p"],
    ]) func withoutAServerOneLineSaysWhatToDo(_ words: [String]) throws {
        let url = ReservedPort.unused.url
        let process = PaycastProgram.start(words + ["--server", url])
        #expect(try process.waitForExit() == 1)
        #expect(process.output.isEmpty)
        #expect(process.errors == "paycast: nothing answers at \(url): is the server running there?\n")
    }

    @Test func wrongSettingsStopTheStartAllAtOnce() throws {
        let environment = [
            "PORT": "x", "PAYCAST_LOOPS": "0", "PAYCAST_API_KEY": "hunter2", "PAYCAST_PUBLIC": "/nowhere",
        ]
        let process = PaycastProgram.start(["serve"], environment: environment)
        #expect(try process.waitForExit() == 78)
        #expect(process.output.isEmpty)
        let names = process.errors.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        #expect(names == ["PORT", "PAYCAST_PUBLIC", "PAYCAST_LOOPS", "PAYCAST_API_KEY"])
        #expect(!process.errors.contains("hunter2"))
    }

    @Test func versionNamesItselfAndItsLibraries() throws {
        for words in [["version"], ["--version"]] {
            let process = PaycastProgram.start(words, environment: ["PAYCAST_API_KEY": "hunter2"])
            #expect(try process.waitForExit() == 0)
            let lines = process.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("paycast ") == true)
            for name in ["Swift ", "libcurl ", "build "] { #expect(lines.contains { $0.hasPrefix(name) }) }
            #expect(!process.output.contains("hunter2"))
        }
    }
}
