import TestSupport
import Testing

@testable import paycast

/// The scripts, run by the shells that they are for.
@Suite(.timeLimit(.minutes(10))) struct CompletionTests {
    struct Line: Sendable, CustomTestStringConvertible {
        /// The last one is being typed.
        var words: [String]
        var expected: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Line(words: ["ta"], expected: ["tail"]),
        Line(words: ["re"], expected: ["recover", "replay", "restore"]),
        Line(words: ["tail", "--prov"], expected: ["--provider"]),
        Line(words: ["tail", "--provider", "app"], expected: ["apple"]),
        Line(words: ["trigger", "pur"], expected: ["purchasekit"]),
        Line(words: ["serve", "--log-level", ""], expected: ["debug", "info", "warning", "error"]),
        Line(words: ["completions", "z"], expected: ["zsh"]),
        Line(words: ["help", "back"], expected: ["backup"]),
    ]) func bashCompletes(_ line: Line) throws {
        let words = (["paycast"] + line.words).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(CompletionScript().text(for: .bash))
            COMP_WORDS=(\(words)); COMP_CWORD=\(line.words.count); _paycast; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = RunningProcess("bash", ["-euc", script])
        #expect(try bash.waitForExit() == 0, "\(bash.errors)")
        #expect(bash.output.split(separator: "\n").map(String.init) == line.expected)
    }

    @Test func everyCommandAndOptionIsThere() throws {
        for shell in CompletionScript.Shell.allCases {
            let process = PaycastProgram.start(["completions", shell.rawValue])
            #expect(try process.waitForExit() == 0)
            for command in commands {
                #expect(process.output.contains(command.name), "\(shell): \(command.name)")
            }
            for option in ["tamper", "until", "database", "dry-run"] { #expect(process.output.contains(option)) }
        }
    }

    @Test(arguments: ["zsh", "fish"], [["-n"]]) func isSyntaxOfTheShell(_ shell: String, _ check: [String]) throws {
        let place = RunningProcess("sh", ["-c", "command -v \(shell)"])
        guard try place.waitForExit() == 0 else { return }
        let folder = TemporaryFolder()
        let script = try #require(CompletionScript.Shell(rawValue: shell).map { CompletionScript().text(for: $0) })
        let process = RunningProcess(shell, check + [folder.write(script, to: "script")])
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }
}
