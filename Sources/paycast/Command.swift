internal import Domain
internal import Glibc

/// A command: the first word after `paycast`.
protocol Command {
    static var name: String { get }

    /// Takes the arguments that it knows; the caller rejects the rest.
    init(_ arguments: inout Arguments) throws(UsageError)

    /// Returns the exit code.
    func run() throws(CommandFailure) -> Int32
}

/// Why a command could not do its work: one line that says what to do. Exit code 1.
struct CommandFailure: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

var commands: [any Command.Type] {
    [
        Serve.self, Demo.self, Tail.self, Trigger.self, Replay.self, Recover.self, Backup.self, Restore.self,
        Doctor.self,
        Publish.self, Sign.self, CreateOrder.self, Completions.self, Version.self,
    ]
}

/// Runs the whole program and returns its exit code.
func runCommand(_ words: [String]) -> Int32 {
    do throws(UsageError) {
        return try dispatch(words)
    } catch {
        let program = error.command.map { "paycast \($0)" } ?? "paycast"
        printError("\(program): \(error.message)\nSee: \(program) --help")
        return EX_USAGE
    }
}

private func dispatch(_ words: [String]) throws(UsageError) -> Int32 {
    switch words.first {
    case nil: throw UsageError("which command? One of \(commandNames.joined(separator: ", "))")
    case "help": return try help(Array(words.dropFirst()))
    case "--help", "-h": return try help([])
    case "--version": return try dispatch([Version.name] + words.dropFirst())
    case let name?:
        guard let command = commands.first(where: { $0.name == name }) else {
            throw unknownCommand(name)
        }
        return try start(command, Array(words.dropFirst()))
    }
}

private func start(_ command: any Command.Type, _ words: [String]) throws(UsageError) -> Int32 {
    do throws(UsageError) {
        var arguments = Arguments(words)
        let wantsHelp = try (arguments.flag("--help"), arguments.flag("-h"))
        if wantsHelp.0 || wantsHelp.1 { return try help([command.name]) }
        let parsed = try command.init(&arguments)
        try arguments.finish()
        return run(parsed)
    } catch {
        throw error.in(command.name)
    }
}

private func run(_ command: any Command) -> Int32 {
    do throws(CommandFailure) {
        return try command.run()
    } catch {
        printError("paycast: \(error.message)")
        return EXIT_FAILURE
    }
}

private func help(_ words: [String]) throws(UsageError) -> Int32 {
    guard let name = words.first else {
        printText(Help.overview)
        return EXIT_SUCCESS
    }
    guard let text = Help.commands[name] else { throw unknownCommand(name) }
    printText(text)
    return EXIT_SUCCESS
}

private var commandNames: [String] { commands.map { $0.name } + ["help"] }

private func unknownCommand(_ name: String) -> UsageError {
    UsageError("unknown command \(quoted(name))" + suggestion(for: name, among: commandNames))
}
