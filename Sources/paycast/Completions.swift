import Commands
import Domain
import Ledger
import Stores

/// The completion scripts, generated from the help texts: every option in the help is known to the shells. Pure.
struct CompletionScript {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    struct Entry {
        var command: String
        /// The first sentence of its help, without the period.
        var summary: String
        /// Each `--name`, and whether it takes a value.
        var options: [(name: String, takesValue: Bool)]
        /// The words that may follow the command.
        var words: [String]
    }

    let entries: [Entry]

    init() {
        entries = Program.commands.sorted { $0.name < $1.name }.map { command in
            Entry(
                command: command.name,
                summary: String(command.help.prefix { $0 != "." && $0 != ":" }),
                options: command.options + [(name: "--help", takesValue: false)],
                words: CompletionScript.words[command.name] ?? []
            )
        }
    }

    private static var words: [String: [String]] {
        [
            "trigger": Stores.sellers.map { $0.provider.rawValue }, "recover": Recover.stores, "hooks": Hooks.words,
            "completions": Shell.allCases.map(\.rawValue),
        ]
    }

    /// The values that an option accepts, of one command or of all; other options take a file or any text. Nothing is ordered
    /// where only grants come from.
    private static let values: KeyValuePairs<String, [String]> = [
        "order --provider": Stores.sellers.map { $0.provider.rawValue }, "--provider": Stores.names,
        "--outcome": Outcome.allCases.map(\.rawValue),
        "--environment": StoreEnvironment.ofStores.map(\.rawValue), "--kind": ProductKind.allCases.map(\.rawValue),
        "--state": HookState.allCases.map(\.rawValue), "--over": PageTransport.names, "--log-format": ["text", "json"],
        "--log-level": ["debug", "info", "warning", "error"],
    ]

    private static func values(of option: String, in command: String) -> [String]? {
        values.first { $0.key == "\(command) \(option)" || $0.key == option }?.value
    }

    private var commands: String { (entries.map(\.command) + ["help"]).joined(separator: " ") }

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var bash: String {
        let cases = entries.map { entry in
            let words = (entry.words + entry.options.map(\.name)).joined(separator: " ")
            return "        \(entry.command)) words=\"\(words)\" ;;"
        }
        let values = CompletionScript.values.map {
            let pattern = $0.key.hasPrefix("--") ? "*' \($0.key)'" : "'\($0.key)'"
            return "        \(pattern)) words=\"\($0.value.joined(separator: " "))\" ;;"
        }
        return """
            # bash completion of paycast: source <(paycast completions bash)
            _paycast() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" words=""
                COMPREPLY=()
                case "${COMP_WORDS[1]} $previous" in
            \(values.joined(separator: "\n"))
                esac
                if [ -z "$words" ]; then
                    if [ "$COMP_CWORD" = 1 ]; then words="\(commands)"; else case "${COMP_WORDS[1]}" in
            \(cases.joined(separator: "\n"))
                    help) words="\(commands)" ;;
                    esac; fi
                fi
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -o default -F _paycast paycast
            """
    }

    private var zsh: String {
        let described = entries.map { "        '\($0.command):\(escaped($0.summary))'" }
        let cases = entries.map { entry in
            let options = entry.options.map { option in
                let known = CompletionScript.values(of: option.name, in: entry.command)
                let value = known.map { ":value:(\($0.joined(separator: " ")))" } ?? ":value:_files"
                return "'*\(option.name)\(option.takesValue ? value : "")'"
            }
            let words = entry.words.isEmpty ? "'*:word:_files'" : "'*:word:(\(entry.words.joined(separator: " ")))'"
            return "        \(entry.command)) _arguments \((options + [words]).joined(separator: " ")) ;;"
        }
        return """
            #compdef paycast
            # zsh completion of paycast: paycast completions zsh > "${fpath[1]}/_paycast"
            _paycast() {
                local -a commands
                commands=(
            \(described.joined(separator: "\n"))
                    'help:print the help of a command'
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases.joined(separator: "\n"))
                    help) _describe command commands ;;
                esac
            }
            if [ "$funcstack[1]" = _paycast ]; then _paycast "$@"; else compdef _paycast paycast; fi
            """
    }

    private var fish: String {
        var lines = [
            "# fish completion of paycast: paycast completions fish > ~/.config/fish/completions/paycast.fish",
            // A command's name may also be a value, so only the first word says which command it is.
            "function __paycast_is; set -l words (commandline -opc); test \"$words[2]\" = \"$argv[1]\"; end",
            "complete -c paycast -n __fish_use_subcommand -f -a help -d 'print the help of a command'",
            "complete -c paycast -n '__paycast_is help' -f -a '\(commands)'",
        ]
        for entry in entries {
            let summary = escaped(entry.summary)
            lines.append("complete -c paycast -n __fish_use_subcommand -f -a \(entry.command) -d '\(summary)'")
            let condition = "-n '__paycast_is \(entry.command)'"
            for option in entry.options {
                let known = CompletionScript.values(of: option.name, in: entry.command)
                let value = known.map { " -xa '\($0.joined(separator: " "))'" } ?? " -r"
                lines.append(
                    "complete -c paycast \(condition) -l \(option.name.dropFirst(2))\(option.takesValue ? value : "")"
                )
            }
            if !entry.words.isEmpty {
                lines.append("complete -c paycast \(condition) -f -a '\(entry.words.joined(separator: " "))'")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// For use in single quotes: the only single quote in our texts is the apostrophe.
    private func escaped(_ text: String) -> String { text.replacing("'", with: "’") }
}

/// Prints what a shell needs to complete `paycast`: its commands, their options, and the values that an option accepts.
struct Completions: Command {
    static let name = "completions"
    static let summary = "print the completion script for bash, zsh or fish"
    static let help = """
        Print the script that lets a shell complete paycast's commands and options.

        Usage: paycast completions SHELL

        SHELL is bash, zsh or fish.

        Example: source <(paycast completions bash)
        """

    private let shell: CompletionScript.Shell

    init(_ arguments: inout Arguments) throws(UsageError) {
        let shells = CompletionScript.Shell.allCases.map(\.rawValue)
        guard let word = try arguments.positional() else {
            throw UsageError("for which shell? One of \(shells.joined(separator: ", "))")
        }
        guard let shell = CompletionScript.Shell(rawValue: word) else {
            throw UsageError("no shell is named \(quoted(word))" + suggestion(for: word, among: shells))
        }
        self.shell = shell
    }

    func run() throws(CommandFailure) -> Int32 {
        printAsIs(CompletionScript().text(for: shell))
        return 0
    }
}
