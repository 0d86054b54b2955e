import APIModel
import Domain
import Encoding
import Pages

extension BroadcastRequest {
    /// Reads one object or an array of 1 to 100 objects, each with `item`. Returns nil for anything else, or if `item`
    /// rejects one.
    static func read(_ bytes: [UInt8], each item: (JSONNode) -> BroadcastRequest?) -> [BroadcastRequest]? {
        guard let node = JSONNode(bytes) else { return nil }
        return read(node, each: item)
    }

    static func read(_ node: JSONNode, each item: (JSONNode) -> BroadcastRequest?) -> [BroadcastRequest]? {
        guard case .array(let nodes) = node else { return item(node).map { [$0] } }
        let bodies = nodes.prefix(101).compactMap(item)
        return (1...100).contains(bodies.count) && bodies.count == nodes.count ? bodies : nil
    }

    /// `{"stream" or "user", "html"}`, or `action` and its parameters; a template needs no action.
    static func plain(_ node: JSONNode) -> BroadcastRequest? {
        guard case .object(let members) = node else { return nil }
        var body = BroadcastRequest()
        for member in members where !member.value.isNull {
            guard body.take(member.withPlainName) else { return nil }
        }
        return body
    }

    /// AnyCable's `{"stream", "data", "meta": {"transient"}}`. `data` is JSON in a string, and Turbo's JSON is a string
    /// again (https://docs.anycable.io/anycable-go/broadcasting). `data` that is not JSON is taken literally.
    static func anyCable(_ node: JSONNode) -> BroadcastRequest? {
        guard let stream = node["stream"]?.text, let data = node["data"]?.text else { return nil }
        var body = BroadcastRequest(stream: stream)
        body.html = JSONNode(data)?.text ?? data
        body.transient = node["meta"]?["transient"]?.boolean
        return body
    }

    /// Returns false if the member's value has the wrong type. Ignores unknown names. Its name has no escapes.
    private mutating func take(_ member: JSONMember) -> Bool {
        switch true {
        case member.hasPlainName("stream"): assign(member.value.text, to: &stream)
        case member.hasPlainName("user"): assign(member.value.text.map { UserID($0) }, to: &user)
        case member.hasPlainName("html"): assign(member.value.text, to: &html)
        case member.hasPlainName("action"): assign(member.value.text, to: &action)
        case member.hasPlainName("target"): assign(member.value.text, to: &target)
        case member.hasPlainName("targets"): assign(member.value.text, to: &targets)
        case member.hasPlainName("template"): assign(member.value.text, to: &template)
        case member.hasPlainName("values"): assign(member.value.texts, to: &values)
        case member.hasPlainName("transient"): assign(member.value.boolean, to: &transient)
        default: true
        }
    }

    var isTransient: Bool { transient ?? false }

    func fragment(_ streams: StreamPattern, templates: TemplateLoader) throws(RefusedBody) -> Fragment {
        guard let name = streamName(streams) else {
            let message = "Give a stream or a user, and only one of them."
            throw RefusedBody("invalid_stream", message: message, status: 422)
        }
        do throws(BroadcastError) {
            return try fragment(on: name, templates: templates.renderer)
        } catch {
            throw RefusedBody(error.code, message: error.description, status: 422)
        }
    }

    private func streamName(_ streams: StreamPattern) -> StreamName? {
        switch (stream, user) {
        case (let stream?, nil): StreamName(stream)
        case (nil, let user?): streams.stream(for: user)
        default: nil
        }
    }
}

private func assign<Value>(_ value: Value?, to member: inout Value?) -> Bool {
    member = value
    return value != nil
}
