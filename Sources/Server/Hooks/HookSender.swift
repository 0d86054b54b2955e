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
        let url: RequestURL
        let client: HTTPClient
        let signer: WebhookSigner
    }

    private let receivers: [String: Receiver]
    /// Receivers believe only what was just signed, by the time of their own clocks.
    private let clock: Clock

    init(_ addresses: [HookAddress], clock: Clock) {
        self.clock = clock
        receivers = addresses.reduce(into: [:]) { receivers, address in
            // Settings refuse any other.
            guard let url = try? RequestURL(address.target.address) else { return }
            receivers[address.target.address] = Receiver(
                url: url,
                client: HTTPClient(timeout: HookSender.timeout),
                signer: WebhookSigner(address.secrets.compactMap { WebhookSecret($0.value) })
            )
        }
    }

    /// `id` is the same for every attempt.
    func send(_ message: HookMessage, id: String, to address: String) -> HookAnswer {
        guard let receiver = receivers[address] else {
            return HookAnswer(problem: "no setting names this address")
        }
        let body = message.json
        let seconds = clock.now().milliseconds / 1000
        let headers = [("Content-Type", "application/json"), ("User-Agent", "paycast/\(releaseVersion)")]
        do throws(HTTPClientError) {
            let response = try receiver.client.send(
                "POST",
                to: receiver.url,
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
                entitlements: held.entitlements,
                contracts: held.contracts,
                since: held.since
            )
        }
        let purchase = due.purchase.map { contract in
            guard let charge = due.charge else { return PurchaseItem(contract, statedAt: delivery.statedAt) }
            var item = PurchaseItem(charge, of: contract.key, kind: contract.kind, store: contract.store)
            // Not the position, which falls back with a restored backup: the backend would ignore what comes after that.
            item.version = Int(due.cause.committedAt.milliseconds)
            return item
        }
        self.init(
            type: delivery.type.rawValue,
            timestamp: due.cause.committedAt,
            data: Content(
                user: delivery.user,
                answer: answer,
                purchase: purchase,
                cause: delivery.type == .userErased ? nil : Cause(due.cause.notice),
                cursor: Cursor(epoch: epoch, position: delivery.position),
                superseded: delivery.superseded
            )
        )
    }
}

/// What came back from an address.
struct HookAnswer: Sendable, Equatable {
    /// Nil without an answer.
    var status: Int?
    /// Why nothing came back.
    var problem: String?
    var retryAfter: Duration?
    /// Its beginning.
    var body: [UInt8] = []

    var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }

    /// True if other messages would probably fail there, too.
    var concernsTheAddress: Bool {
        guard let status else { return true }
        switch status {
        // Another secret or address, or too many messages: none would be accepted now.
        case 401, 403, 404, 405, 408, 410, 429: return true
        default: return status >= 500 || (300..<400).contains(status)
        }
    }

    /// What it means, and what to do.
    var text: String {
        guard let status else { return problem ?? "no answer" }
        let todo =
            switch status {
            case 200..<300: "it accepts what is signed with its secret"
            case 300..<400: "it redirects: name the last address in PAYCAST_HOOK_URLS"
            case 401, 403: "it wants a password, or its secret is not the one in PAYCAST_HOOK_SECRETS"
            case 400: "it does not believe the signature, or cannot read the message: its log says why"
            case 404, 405: "PAYCAST_HOOK_URLS needs the whole address"
            case 410: "it is gone: take it out of PAYCAST_HOOK_URLS, or start or reload the server to try again"
            case 413: "it takes only smaller bodies"
            default: "its log says why"
            }
        return "it answers \(status): \(todo)"
    }
}

/// Decides what happens to a message after an attempt: the schedule of the Standard Webhooks specification. Pure.
struct HookSchedule {
    /// The time between an attempt and the next, in seconds. After the last of them, the message has failed: 3 days and 4 hours.
    static let delays: [Int64] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// How much longer than that it may take, so that many messages do not come back together.
    static let spread = 0.2
    /// The longest time that a receiver may ask for.
    static let longest = Duration.seconds(86_400)

    /// The attempts that have failed before this one.
    var attempts: Int
    var now: Instant
    /// Between 0 and 1.
    var jitter: Double

    /// What `Retry-After` asks for: seconds, or an HTTP date.
    static func wait(_ retryAfter: String, now: Instant) -> Duration? {
        if let seconds = Int64(retryAfter) { return .seconds(min(max(seconds, 0), longest.components.seconds)) }
        return Instant(httpDate: retryAfter).map { min(max($0.elapsed(since: now), .zero), longest) }
    }

    func result(of answer: HookAnswer) -> HookResult {
        guard !answer.isSuccess else { return .accepted }
        guard answer.status != 410 else { return .gone(reason: answer.text) }
        guard attempts < HookSchedule.delays.count else { return .failed(reason: answer.text) }
        let delay = Double(HookSchedule.delays[attempts]) * (1 + HookSchedule.spread * min(max(jitter, 0), 1))
        let asked = min(answer.retryAfter ?? .zero, HookSchedule.longest)
        return .retry(at: now + max(.milliseconds(Int64(delay * 1000)), asked), reason: answer.text)
    }
}
