internal import Concurrency
internal import Domain
internal import Gateway
internal import StoreInterface

/// `POST /recoveries`: fetches a store's history now, and answers once it is committed. `GET` reports the progress of
/// the recoveries that are running.
struct RecoveriesEndpoint {
    /// The stores whose history can be read, if a key for their API is configured.
    private static let providers: [Provider] = [.apple, .google]

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Body {
        var provider: String
        var since: String?

        init(_ bytes: [UInt8]) throws(RefusedBody) {
            let node = try RefusedBody.object(
                bytes,
                instead: "Send {\"provider\":\"apple\",\"since\"?:ISO8601}."
            )
            provider = try RefusedBody.requiredString("provider", of: node)
            since = try RefusedBody.string("since", of: node)
        }
    }

    private struct Recovered: Encodable {
        var provider: String
        var found: Int
        var recovered: Int
        var refused: Int
        var outcomes: [String: Int]
        var problems: [String]
    }

    private struct Progress: Encodable {
        struct Running: Encodable {
            var provider: String
            var found: Int
            var recovered: Int
            var refused: Int
        }

        var running: [Running]
    }

    func answer(_ request: Request) -> Answer {
        request.method == "POST" ? begin(request) : .respond(JSON.response(200, progress))
    }

    private var progress: Progress {
        let running = services.runningRecoveries.all.map { one in
            Progress.Running(
                provider: one.provider.rawValue,
                found: one.report.found,
                recovered: one.report.recovered,
                refused: one.report.refused
            )
        }
        return Progress(running: running)
    }

    private func begin(_ request: Request) -> Answer {
        let body: Body
        do throws(RefusedBody) { body = try Body(request.body) } catch { return .respond(error.response) }
        let provider = Provider(rawValue: body.provider)
        guard services.stores.contains(provider) else {
            let names = Self.providers.map(\.rawValue).joined(separator: ", ")
            return .respond(.error(400, "invalid_provider", "provider must be one of \(names)."))
        }
        let since = body.since.flatMap { Instant(iso8601: $0) }
        guard body.since == nil || since.map({ $0 <= services.clock.now() }) == true else {
            return .respond(.error(400, "invalid_since", "since must be an ISO 8601 instant of the past."))
        }
        guard let recovery = services.recoveries[provider] else {
            let message =
                "No key of this store's API is configured: PAYCAST_APPLE_API_KEY for apple, PAYCAST_GOOGLE_CREDENTIALS "
                + "for google."
            return .respond(.unavailable("not_configured", message, retryAfter: 3600))
        }
        return .later { [blockingPools = services.blockingPools, running = services.runningRecoveries] reply in
            blockingPools.submit(.operators) {
                reply.send(Self.response(provider, running.run(recovery, of: provider, since: since)))
            } orElse: {
                reply.send(.busy)
            }
        }
    }

    private static func response(_ provider: Provider, _ report: RecoveryReport) -> Response {
        guard !report.isFailure else {
            return .unavailable("store_unreachable", report.problems.joined(separator: "; "), retryAfter: 60)
        }
        return JSON.response(
            200,
            Recovered(
                provider: provider.rawValue,
                found: report.found,
                recovered: report.recovered,
                refused: report.refused,
                outcomes: Dictionary(uniqueKeysWithValues: report.outcomes.map { ($0.key.rawValue, $0.value) }),
                problems: report.problems
            )
        )
    }
}
