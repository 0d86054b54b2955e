/// Broadcasts one fragment.
struct Publish: Command {
    static let name = "publish"

    private let remote: Remote
    private var body: [String: JSONValue]
    private let isHTMLOnStandardInput: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        var body: [String: JSONValue] = [:]
        for name in ["user", "stream", "html", "action", "target", "targets", "template"] {
            if let value = try arguments.option("--" + name) { body[name] = .text(value) }
        }
        let values = try arguments.pairs("--value").map { ($0.key, JSONValue.text($0.value)) }
        if !values.isEmpty { body["values"] = .object(Dictionary(values) { $1 }) }
        if try arguments.flag("--transient") { body["transient"] = .boolean(true) }
        try Publish.check(body)
        isHTMLOnStandardInput = body["html"] == .text("-")
        self.body = body
    }

    private static func check(_ body: [String: JSONValue]) throws(UsageError) {
        if (body["user"] == nil) == (body["stream"] == nil) { throw UsageError("say either --user or --stream") }
        if body["html"] != nil && body["template"] != nil { throw UsageError("say either --html or --template") }
        if body["action"] == nil {
            if body["html"] == nil { throw UsageError("say --html MARKUP, or --action with --target") }
            let needless = ["target", "targets"].first { body[$0] != nil }
            if let needless { throw UsageError("--\(needless) needs --action; markup alone names its own target") }
        }
        if body["values"] != nil && body["template"] == nil { throw UsageError("--value needs --template") }
    }

    func run() throws(CommandFailure) -> Int32 {
        var body = body
        if isHTMLOnStandardInput { body["html"] = .text(try readStandardInput()) }
        let answer = JSONValue(try remote.post("/broadcasts", .object(body)))
        for cursor in answer?["cursors"]?.items ?? [] {
            if let words = cursor.words { printText(words) }
        }
        return 0
    }
}
