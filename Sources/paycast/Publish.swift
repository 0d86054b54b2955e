import APIModel
import Commands
import Domain

/// Broadcasts one fragment.
struct Publish: Command {
    static let name = "publish"
    static let summary = "broadcast one fragment to a user or a stream"
    static let help = """
        Broadcast one fragment to a user or a stream, and print its cursor.

        Usage: paycast publish (--user USER | --stream NAME) --html MARKUP
               paycast publish (--user USER | --stream NAME) --template NAME
               paycast publish (--user USER | --stream NAME) --action ACTION
                               --target ID (--html HTML | --template NAME)

        Options:
          --user USER           the user's own stream
          --stream NAME         any stream
          --html HTML           complete <turbo-stream> elements; with --action, what
                                goes inside; “-” reads it from stdin
          --action ACTION       replace, update, append, remove, refresh …; a template
                                without one replaces
          --target ID           the id of the element to change; that of the template's
                                element if it has one and replaces
          --targets SELECTOR    a CSS selector instead of an id
          --template NAME       a template of public/fragments
          --value KEY=VALUE     a value for the template; may be repeated
          --transient           only for pages that are connected now
        \(RemoteServer.optionsHelp)

        Example: paycast publish --user 42 --action update --target paywall --html Hello
        """

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
