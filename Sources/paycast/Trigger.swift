internal import Domain
internal import Runtime
internal import Simulator

/// Delivers a locally signed store notification to a development server.
struct Trigger: Command {
    static let name = "trigger"

    private let remote: Remote
    private let request: StoreDriver.Request
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        let user = try arguments.option("--user")
        let product = try arguments.option("--product")
        let order = try arguments.option("--order")
        let bundle = try arguments.option("--bundle")
        let environment = try arguments.choice("--environment", among: StoreEnvironment.allCases.map(\.rawValue))
        let (type, subtype) = try Trigger.event(&arguments)
        if let order, OrderToken(order) == nil { throw UsageError("--order is a UUID, not \(quoted(order))") }
        var token = order.flatMap { OrderToken($0) }
        // A purchase that no order announced: nobody is known to have made it.
        if user == nil && token == nil { token = .random() }
        var request = StoreDriver.Request(type: type, subtype: subtype, user: user, order: token)
        request.product = product
        request.environment = environment.flatMap { StoreEnvironment(rawValue: $0) } ?? .sandbox
        if let bundle { request.bundleID = bundle }
        self.request = request
    }

    private static func event(_ arguments: inout Arguments) throws(UsageError) -> (type: String, subtype: String?) {
        let store = try arguments.positional()
        let event = try arguments.positional()
        guard let store, let event else {
            throw UsageError("say a store and a type: paycast trigger apple TYPE/SUBTYPE")
        }
        guard store == Provider.apple.rawValue else {
            throw UsageError("no simulated store is named \(quoted(store))" + suggestion(for: store, among: ["apple"]))
        }
        let words = event.split(separator: "/", maxSplits: 1).map(String.init)
        guard let type = words.first else { throw UsageError("the type is empty") }
        return (type, words.dropFirst().first)
    }

    func run() throws(CommandFailure) -> Int32 {
        hint()
        let delivery = try deliver()
        guard delivery.status == 200 || printsJSON else {
            throw remote.failure(status: delivery.status, body: delivery.body)
        }
        if printsJSON {
            printText(String(decoding: delivery.body, as: UTF8.self))
        } else {
            printText("outcome  \(delivery.outcome ?? "-")")
            printText("event    \(delivery.event)")
            printText("cursor   \(delivery.cursor ?? "-")")
        }
        return delivery.status == 200 ? 0 : 1
    }

    private func deliver() throws(CommandFailure) -> StoreDriver.Delivery {
        let workspace: DevelopmentWorkspace
        do { workspace = try .existing(in: ".") } catch { throw CommandFailure("\(error)") }
        let driver = StoreDriver(server: remote.url, apiKey: remote.key ?? workspace.apiKey, signer: workspace.signer)
        do {
            return try driver.deliver(request, now: Clock().now() + workspace.clockOffset)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Stores add types, so an unknown one is sent all the same.
    private func hint() {
        guard !appleTypes.contains(request.type) else { return }
        let near = nearest(to: request.type, among: appleTypes).map { "; did you mean \($0)?" } ?? ""
        printError("paycast: Apple documents no type \(quoted(request.type)), sent as it is\(near)")
    }
}

/// https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
private let appleTypes = [
    "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
    "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
    "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
    "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
]
