internal import Domain
internal import Fragments

/// One broadcast as a publisher wrote it.
struct BroadcastBody: Decodable {
    var stream: String?
    var user: String?
    var html: String?
    var action: String?
    var target: String?
    var targets: String?
    var template: String?
    var values: [String: String]?
    var transient: Bool?

    struct Refusal: Error {
        var code: String
        var message: String
    }

    /// One object or an array; nil when it is neither.
    static func read(_ bytes: [UInt8]) -> [BroadcastBody]? {
        let isArray = bytes.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "[")
        guard isArray else { return JSON.decode(BroadcastBody.self, from: bytes).map { [$0] } }
        guard let bodies = JSON.decode([BroadcastBody].self, from: bytes), (1...100).contains(bodies.count) else {
            return nil
        }
        return bodies
    }

    func fragment(_ streams: StreamPattern, _ templates: TemplateSet) -> Result<Fragment, Refusal> {
        guard let name = streamName(streams) else {
            return .failure(Refusal(code: "invalid_stream", message: "Give a stream or a user, and only one of them."))
        }
        do throws(BroadcastError) {
            guard let action else {
                guard let html, template == nil else { throw .missingAction }
                return .success(try BroadcastMarkup(html).fragment(on: name))
            }
            let form = BroadcastForm(
                action: action,
                target: target,
                targets: targets,
                template: template,
                html: html,
                values: values ?? [:]
            )
            return .success(try form.fragment(on: name, templates: templates))
        } catch {
            return .failure(Refusal(code: error.code, message: error.description))
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
