import Commands
import Domain
import Glibc

/// The whole program: finds the command that the first word names, and runs it.
enum Program {
    static var commands: [any Command.Type] {
        [
            Serve.self, Demo.self, Tail.self, Trigger.self, Replay.self, Recover.self, Grant.self, Revoke.self,
            Import.self, Export.self, Erase.self,
            Migrate.self, Copy.self, Backup.self, Restore.self, Release.self,
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
        case let name?: return try start(try command(named: name), with: Array(words.dropFirst()))
        }
    }

    private static func start(_ command: any Command.Type, with words: [String]) throws(UsageError) -> Int32 {
        do throws(UsageError) {
            var arguments = Arguments(words)
            let hasHelp = try arguments.flag("--help")
            let hasH = try arguments.flag("-h")
            if hasHelp || hasH { return try help([command.name]) }
            try arguments.refuseOptions(besides: command.options.map(\.name) + ["--help"])
            let parsed = try command.init(&arguments)
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
        if let name = words.first, !["--help", "-h", "help"].contains(name) {
            printAsIs(try command(named: name).help)
        } else {
            printAsIs(overview)
        }
        return EXIT_SUCCESS
    }

    static var overview: String {
        let lines = commands.map { "  " + padded($0.name, to: 11, gap: 2) + $0.summary }
        return """
            Paycast turns a store's payment webhook into a page change.

            Usage: paycast COMMAND [OPTIONS]

            Commands:
            \(lines.joined(separator: "\n"))
              help       print the help of a command: paycast help tail

            Exit codes: 0 success, 1 failure, 64 incorrect command line, 78 wrong settings.
            Quick start: paycast demo
            """
    }

    private static var commandNames: [String] { commands.map { $0.name } + ["help"] }

    private static func command(named name: String) throws(UsageError) -> any Command.Type {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError("unknown command \(quoted(name))" + suggestion(for: name, among: commandNames))
        }
        return command
    }
}
