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
        let key = signingKey(environment: processEnvironment(), workspace: Workspace())
        guard let signer = StreamNameVerifier(keys: [key].compactMap { $0 }) else {
            throw CommandFailure("no key to sign with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE")
        }
        printText(signer.sign(stream, expires: lifetime.map { Clock().now() + $0 }))
        return 0
    }

    private func signingKey(environment: [String: String], workspace: Workspace) -> StreamNameVerifier.Key? {
        if let key = Secret.text("PAYCAST_STREAM_KEYS", in: environment).flatMap(firstOfList) {
            return .init(text: key)
        }
        if let secret = Secret.text("SECRET_KEY_BASE", in: environment) {
            return .init(secretKeyBase: secret, with: .sha256)
        }
        return workspace.streamKey.map { .init(text: $0) }
    }
}
