import Commands
import Domain
import Glibc
import Stores
import Support

/// The whole program: finds the command that the first word names, and runs it.
enum Program {
    static var commands: [any Command.Type] {
        [
            Serve.self, Demo.self, Tail.self, Trigger.self, Replay.self, Recover.self, Grant.self, Revoke.self,
            Export.self, Erase.self,
            Migrate.self, Copy.self, Backup.self, Restore.self,
            Doctor.self, Alerts.self, Dashboard.self, Hooks.self, Publish.self, Sign.self, CreateOrder.self,
            Completions.self, Version.self,
        ]
    }

    /// Returns the exit code.
    static func run(_ words: [String]) -> Int32 {
        reserveStandardStreams()
        do throws(UsageError) {
            return try dispatch(words)
        } catch {
            let program = error.command.map { "paycast \($0)" } ?? "paycast"
            printError("\(program): \(error.message)")
            printError("See: \(program) --help")
            return UsageError.exitCode
        }
    }

    private static func dispatch(_ words: [String]) throws(UsageError) -> Int32 {
        switch words.first {
        case nil: throw UsageError("which command? One of \(commandNames.joined(separator: ", "))")
        case "help": return try help(Array(words.dropFirst()))
        case "--help", "-h": return try help([])
        case "--version": return try dispatch([Version.name] + words.dropFirst())
        case let name?:
            guard let command = commands.first(where: { $0.name == name }) else {
                throw unknownCommand(name)
            }
            return try start(command, with: Array(words.dropFirst()))
        }
    }

    private static func start(_ command: any Command.Type, with words: [String]) throws(UsageError) -> Int32 {
        do throws(UsageError) {
            var arguments = Arguments(words)
            let hasHelp = try arguments.flag("--help")
            let hasH = try arguments.flag("-h")
            if hasHelp || hasH { return try help([command.name]) }
            let parsed: any Command
            do throws(UsageError) {
                parsed = try command.init(&arguments)
            } catch {
                try arguments.refuseOptions(besides: Help.options(of: command.name).map(\.name))
                throw error
            }
            try arguments.finish()
            return run(parsed)
        } catch {
            var error = error
            error.command = error.command ?? command.name
            throw error
        }
    }

    private static func run(_ command: any Command) -> Int32 {
        do {
            return try command.run()
        } catch {
            printError("paycast: \(error)")
            return CommandFailure.exitCode
        }
    }

    private static func help(_ words: [String]) throws(UsageError) -> Int32 {
        guard let name = words.first, !["--help", "-h"].contains(name) else {
            printAsIs(Help.overview)
            return EXIT_SUCCESS
        }
        guard let text = Help.commands[name] else { throw unknownCommand(name) }
        printAsIs(text)
        return EXIT_SUCCESS
    }

    private static var commandNames: [String] { commands.map { $0.name } + ["help"] }

    private static func unknownCommand(_ name: String) -> UsageError {
        UsageError("unknown command \(quoted(name))" + suggestion(for: name, among: commandNames))
    }
}

/// All help texts, 80 columns wide: the files of `Sources/CAssets/help`, by the command's name.
enum Help {
    static let commands: [String: String] = Assets.help.reduce(into: [:]) { texts, file in
        let text = String(decoding: file.value, as: UTF8.self)
            .replacing("{{stores}}", with: stores)
            .replacing("{{server and key}}", with: server)
        // A print ends the last line.
        texts[String(file.key.prefix { $0 != "." })] = String(text.dropLast())
    }

    static let overview = commands["help"] ?? ""

    /// Each `--name` of a command, and whether it takes a value.
    static func options(of command: String) -> [(name: String, takesValue: Bool)] {
        let lines = (commands[command] ?? "").split(separator: "\n")
        return lines.filter { $0.hasPrefix("  --") }.map { line in
            let words = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false)
            // A value follows the name after one space; the description starts in its own column.
            return (name: String(words[0]), takesValue: words.count > 1 && words[1].first?.isUppercase == true)
        }
    }

    /// `apple, google … or purchasekit`.
    private static let stores = {
        let names = Stores.sellers.map { $0.provider.rawValue }
        return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    }()

    /// The options of each command that asks a server.
    private static let server = """
          --server URL          PAYCAST_SERVER, else .paycast/address, else where the
                                server of DATABASE_URL, PORT and PAYCAST_BIND listens
          --key KEY             PAYCAST_API_KEY or PAYCAST_API_KEY_FILE, else
                                .paycast/api.key
        """
}
