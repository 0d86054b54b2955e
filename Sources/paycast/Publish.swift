import APIModel
import Commands
import Crypto
import Domain
import Server
import Support

/// Broadcasts one fragment.
struct Publish: Command {
    static let name = "publish"

    private let remote: RemoteServer
    private var request: BroadcastRequest
    private let isHTMLOnStandardInput: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        var request = BroadcastRequest()
        request.user = try arguments.option("--user").map { UserID($0) }
        request.stream = try arguments.option("--stream")
        request.html = try arguments.option("--html")
        request.action = try arguments.option("--action")
        request.target = try arguments.option("--target")
        request.targets = try arguments.option("--targets")
        request.template = try arguments.option("--template")
        let values = try arguments.pairs("--value").map { ($0.key, $0.value) }
        if !values.isEmpty { request.values = Dictionary(values) { $1 } }
        if try arguments.flag("--transient") { request.transient = true }
        try Publish.check(request)
        isHTMLOnStandardInput = request.html == "-"
        self.request = request
    }

    private static func check(_ request: BroadcastRequest) throws(UsageError) {
        if (request.user == nil) == (request.stream == nil) { throw UsageError("pass either --user or --stream") }
        if request.html != nil && request.template != nil { throw UsageError("pass either --html or --template") }
        if request.action == nil && request.template == nil {
            guard request.html != nil else {
                throw UsageError("pass --html MARKUP, --template NAME, or --action with --target")
            }
            let needless = request.target != nil ? "target" : request.targets != nil ? "targets" : nil
            if let needless { throw UsageError("--\(needless) needs --action; markup alone names its own target") }
        }
        if request.values != nil && request.template == nil { throw UsageError("--value needs --template") }
    }

    func run() throws(CommandFailure) -> Int32 {
        var request = request
        if isHTMLOnStandardInput { request.html = try readStandardInput() }
        let answer = JSON.decode(BroadcastAnswer.self, from: try remote.post(request, to: "/broadcasts"))
        for case let cursor? in answer?.cursors ?? [] { printText(cursor) }
        return 0
    }
}

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
        guard let signer = StreamNameVerifier(ofEnvironment: processEnvironment()) else {
            throw CommandFailure("no key to sign with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE")
        }
        printText(signer.sign(stream, expires: lifetime.map { Clock().now() + $0 }))
        return 0
    }
}
