internal import Commands
internal import Crypto
internal import Domain
internal import Server
internal import Support

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
        guard let signer = StreamNameVerifier(ofEnvironment: processEnvironment(), workspace: Workspace()) else {
            throw CommandFailure("no key to sign with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE")
        }
        printText(signer.sign(stream, expires: lifetime.map { Clock().now() + $0 }))
        return 0
    }
}
