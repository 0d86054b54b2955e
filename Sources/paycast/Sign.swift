import Commands
import Crypto
import Domain
import Support

/// Prints a signed stream name.
struct Sign: Command {
    static let name = "sign"
    static let summary = "print a signed stream name"
    static let help = """
        Print a signed stream name, for a page's subscription.

        Usage: paycast sign NAME [OPTIONS]

        Signs with the first of PAYCAST_STREAM_KEYS, else with SECRET_KEY_BASE, else
        with .paycast/stream.key.

        Options:
          --expires-in SECONDS  how long it is valid; without it, forever

        Example: paycast sign user:42:paywall
        """

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
        guard let signer = StreamNameVerifier(ofEnvironment: processEnvironment()) else {
            throw CommandFailure("no key to sign with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE")
        }
        printText(signer.sign(stream, expires: lifetime.map { Clock().now() + $0 }))
        return 0
    }
}
