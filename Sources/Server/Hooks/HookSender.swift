import APIModel
import Crypto
import Domain
import HTTPClient
import Ledger
import Support

/// Signs messages and posts them to the backend. Blocks.
struct HookSender: Sendable {
    private static let timeout = Duration.seconds(15)
    /// The part of an answer's body that is read, for the log.
    private static let answerSize = 1024

    private struct Receiver: Sendable {
        /// Nil for an address that settings would refuse.
        let url: RequestURL?
        let client: HTTPClient
        let signer: WebhookSigner
    }

    private let receivers: [String: Receiver]
    /// Receivers believe only what was just signed, by the time of their own clocks.
    private let clock: Clock

    init(_ addresses: [HookAddress], clock: Clock) {
        self.clock = clock
        receivers = addresses.reduce(into: [:]) { receivers, address in
            receivers[address.url] = Receiver(
                url: try? RequestURL(address.url),
                client: HTTPClient(timeout: HookSender.timeout),
                signer: WebhookSigner(address.secrets.compactMap { WebhookSecret($0.value) })
            )
        }
    }

    /// `id` is the same for every attempt.
    func send(_ message: HookMessage, id: String, to address: String) -> HookAnswer {
        guard let receiver = receivers[address], let url = receiver.url else {
            return HookAnswer(problem: "no setting names this address")
        }
        let body = message.json
        let seconds = clock.now().milliseconds / 1000
        let headers = [("Content-Type", "application/json"), ("User-Agent", "paycast/\(releaseVersion)")]
        do throws(HTTPClientError) {
            let response = try receiver.client.send(
                "POST",
                to: url,
                headers: headers + receiver.signer.headers(id: id, at: seconds, body: body),
                body: body,
                cuttingBodyAt: HookSender.answerSize
            )
            let wait = response.header("Retry-After").flatMap { HookSchedule.wait($0, now: clock.now()) }
            return HookAnswer(status: response.status, retryAfter: wait, body: response.body)
        } catch {
            return HookAnswer(problem: error.description)
        }
    }
}

extension HookMessage {
    init(_ due: DueHook, epoch: String) {
        let delivery = due.delivery
        let answer = due.entitlements.map { held in
            EntitlementsAnswer(
                user: delivery.user,
                active: held.isActive,
                entitlements: held.entitlements.map(EntitlementItem.init),
                since: held.since
            )
        }
        self.init(
            type: delivery.type.rawValue,
            timestamp: due.cause.committedAt,
            data: Content(
                user: delivery.user,
                answer: answer,
                cause: answer == nil ? nil : Cause(due.cause.notice),
                cursor: Cursor(epoch: epoch, position: delivery.position),
                superseded: delivery.superseded
            )
        )
    }
}
