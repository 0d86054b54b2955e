internal import Commands
internal import Domain

/// Prints what a shell needs to complete `paycast`: its commands, their options, and the values that an option accepts.
struct Completions: Command {
    static let name = "completions"

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
