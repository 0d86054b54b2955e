import Domain
import Encoding
import Pages

/// What one node tells the others for their pages, and the log does not hold.
///
/// Its JSON is `{"stream":"…","parts":[{"html":"…","key":"…","refresh":true}]}`, `{"locale":"…"}`,
/// `{"followed":["…"]}` or `{"question":"followed"}`. A received one was sent by a node (`MessageKey`), perhaps of
/// another version, so it is checked like a request.
enum NodeMessageContent: Equatable {
    private static let partLimit = 100
    /// Of one message.
    static let streamLimit = 100

    /// A transient message.
    case broadcast(Message)
    /// The user of this stream reads another language now, or in another time zone.
    case locale(StreamName)
    /// Pages of this node follow these.
    case followed([StreamName])
    /// This node wants to know what pages of the others follow.
    case whoFollows

    /// Nil if it is not a node's message.
    init?(_ body: [UInt8]) {
        guard let node = JSONNode(body) else { return nil }
        if let stream = node["locale"]?.text.flatMap({ StreamName($0) }) {
            self = .locale(stream)
        } else if case .array(let found)? = node["followed"], found.count <= NodeMessageContent.streamLimit {
            self = .followed(found.compactMap { $0.text.flatMap { StreamName($0) } })
        } else if node["question"]?.text == "followed" {
            self = .whoFollows
        } else if let stream = node["stream"]?.text.flatMap({ StreamName($0) }),
            case .array(let found)? = node["parts"], (1...NodeMessageContent.partLimit).contains(found.count)
        {
            let parts = found.compactMap { NodeMessageContent.part($0) }
            guard parts.count == found.count else { return nil }
            self = .broadcast(Message(stream: stream, position: nil, parts: parts))
        } else {
            return nil
        }
    }

    var body: [UInt8] {
        switch self {
        case .locale(let stream): return Array(#"{"locale":\#(JSONLiteral.literal(stream.text))}"#.utf8)
        case .followed(let streams):
            let names = streams.map { JSONLiteral.literal($0.text) }.joined(separator: ",")
            return Array(#"{"followed":[\#(names)]}"#.utf8)
        case .whoFollows: return Array(#"{"question":"followed"}"#.utf8)
        case .broadcast(let message):
            var body = Array(#"{"stream":\#(JSONLiteral.literal(message.stream.text)),"parts":["#.utf8)
            for (index, part) in message.parts.enumerated() {
                if index > 0 { body += ",".utf8 }
                NodeMessageContent.append(part, to: &body)
            }
            return body + "]}".utf8
        }
    }

    private static func append(_ part: Part, to body: inout [UInt8]) {
        body += #"{"html":"#.utf8
        JSONLiteral.append(part.html, to: &body)
        if let key = part.collapseKey { body += #","key":\#(JSONLiteral.literal(key.text))"#.utf8 }
        body += (part.isRefresh ? #","refresh":true}"# : "}").utf8
    }

    private static func part(_ node: JSONNode) -> Part? {
        // As text, because pages get it in text frames: invalid UTF-8 would end their connection.
        guard let html = node["html"]?.text, !html.isEmpty else { return nil }
        let key = node["key"]?.text.map { CollapseKey($0) }
        return Part(html: Array(html.utf8), collapseKey: key, isRefresh: node["refresh"]?.boolean ?? false)
    }
}
