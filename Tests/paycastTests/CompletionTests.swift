import Commands
import TestSupport
import Testing

@testable import paycast

/// The scripts, run by the shells that they are for. One that is not installed is left out.
@Suite(.blocking) struct CompletionTests {
    struct Line: Sendable, CustomTestStringConvertible {
        /// The last one is being typed.
        var words: [String]
        var expected: Set<String>
        /// bash leaves files to readline, behind the function that is tested.
        var isOfFiles = false

        var testDescription: String { words.joined(separator: " ") }
    }

    static let lines = [
        Line(words: ["ta"], expected: ["tail"]),
        Line(words: ["re"], expected: ["recover", "release", "replay", "restore", "revoke"]),
        Line(words: ["tail", "--prov"], expected: ["--provider"]),
        Line(words: ["tail", "--provider", "app"], expected: ["apple"]),
        Line(words: ["trigger", "pur"], expected: ["purchasekit"]),
        Line(words: ["trigger", "pay"], expected: []),
        Line(words: ["tail", "--provider", "pay"], expected: ["paycast"]),
        // A grant is not ordered.
        Line(words: ["order", "--provider", "pay"], expected: []),
        Line(words: ["order", "--provider", "app"], expected: ["apple"]),
        Line(words: ["serve", "--log-level", ""], expected: ["debug", "info", "warning", "error"]),
        Line(words: ["completions", "z"], expected: ["zsh"]),
        Line(words: ["help", "back"], expected: ["backup"]),
        Line(words: ["help", "serve", "--log"], expected: []),
        Line(words: ["order", "--user", "serve", "--log"], expected: []),
        Line(words: ["backup", "led"], expected: ["ledger.db"], isOfFiles: true),
        Line(words: ["serve", "--database", "led"], expected: ["ledger.db"], isOfFiles: true),
    ]

    @Test(.enabled(if: isInstalled("bash")), arguments: lines) func bashCompletes(_ line: Line) throws {
        let words = (["paycast"] + line.words).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(CompletionScript().text(for: .bash))
            COMP_WORDS=(\(words)); COMP_CWORD=\(line.words.count); _paycast || true; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try output(of: "bash", arguments: ["-euc", script]) == (line.isOfFiles ? [] : line.expected))
    }

    @Test(.enabled(if: isInstalled("fish")), arguments: lines) func fishCompletes(_ line: Line) throws {
        let folder = TemporaryFolder()
        _ = folder.write("", to: "ledger.db")
        _ = folder.write(CompletionScript().text(for: .fish), to: "script")
        let script = "cd \(folder.path); source script; complete -C '\(typed(line))'"
        let offered = try output(of: "fish", arguments: ["--no-config", "-c", script], home: folder)
        // Behind a tab stands what it is.
        #expect(Set(offered.map { String($0.prefix { $0 != "\t" }) }) == line.expected)
    }

    @Test(.enabled(if: isInstalled("zsh")), arguments: lines) func zshCompletes(_ line: Line) throws {
        let folder = TemporaryFolder()
        _ = folder.write("", to: "ledger.db")
        _ = folder.write("", to: "offered")
        // Where a package puts it: zsh loads it when it is needed.
        _ = folder.write(CompletionScript().text(for: .zsh), to: "_paycast")
        _ = folder.write(Self.interactive, to: "setup")
        let capture = folder.write(Self.capture, to: "capture")
        #expect(
            try output(of: "zsh", arguments: ["-f", capture, folder.path, typed(line)], home: folder) == line.expected
        )
    }

    /// Notes what is offered, and ends after the first completion.
    private static let interactive = #"""
        fpath=($PWD $fpath)
        autoload -Uz compinit && compinit -u -D
        compadd() {
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
            local -a offered
            builtin compadd -O offered "$@"
            if (( $#offered )); then print -rl -- $offered >> offered; fi
            builtin compadd "$@"
        }
        comppostfuncs=(exit)
        bindkey '^I' complete-word
        print ready
        """#

    /// A terminal, in which somebody types the line $2 and the tabulator key in the folder $1.
    private static let capture = #"""
        zmodload zsh/zpty
        cd $1
        zpty shell zsh -f -i
        zpty -w shell 'source ./setup'
        while zpty -r shell line && [[ $line != *ready* ]]; do :; done
        zpty -n -w shell "$2"$'\t'
        while zpty -r shell line; do :; done
        cat offered
        """#

    private func typed(_ line: Line) -> String { (["paycast"] + line.words).joined(separator: " ") }

    /// The lines that it prints.
    private func output(
        of shell: String,
        arguments: [String],
        home: TemporaryFolder = TemporaryFolder()
    ) throws -> Set<String> {
        let process = RunningProcess(shell, arguments: arguments, environment: ["HOME": home.path, "TERM": "xterm"])
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        return Set(process.output.split(separator: "\n").map(String.init))
    }

    private static func isInstalled(_ shell: String) -> Bool {
        (try? RunningProcess("sh", arguments: ["-c", "command -v \(shell)"]).waitForExit()) == 0
    }

    @Test func everyCommandAndOptionIsThere() throws {
        for shell in CompletionScript.Shell.allCases {
            let process = PaycastProgram.start(["completions", shell.rawValue])
            #expect(try process.waitForExit() == 0)
            for command in Program.commands {
                #expect(process.output.contains(command.name), "\(shell): \(command.name)")
            }
            for option in ["tamper", "until", "database", "dry-run"] { #expect(process.output.contains(option)) }
        }
    }
}
