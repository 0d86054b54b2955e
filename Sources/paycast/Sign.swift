internal import Crypto
internal import Domain

/// Prints a signed stream name.
struct Sign: Command {
    static let name = "sign"

    private let stream: StreamName
    private let lifetime: Duration?

    init(_ arguments: inout Arguments) throws(UsageError) {
        lifetime = try arguments.number("--expires-in", in: 1...1_000_000_000).map { .seconds($0) }
        guard let text = try arguments.positional() else { throw UsageError("which stream? paycast sign NAME") }
        guard let stream = StreamName(text) else {
            throw UsageError("a stream's name is 1 to 512 bytes without control characters")
        }
        self.stream = stream
    }

    func run() throws(CommandFailure) -> Int32 {
        throw CommandFailure("this build cannot sign \(stream)\(lifetime.map { " for \($0)" } ?? "")")
    }
}
