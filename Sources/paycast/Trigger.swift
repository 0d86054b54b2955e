internal import Domain

/// Delivers a locally signed store notification to a development server.
struct Trigger: Command {
    static let name = "trigger"

    private let remote: Remote
    private let notification: Notification
    private let printsJSON: Bool

    /// What the simulated store is asked to say.
    struct Notification: Equatable {
        var provider: Provider
        var type: String
        var subtype: String?
        var user: String?
        var product: String?
        var order: OrderToken?
        var environment: StoreEnvironment
        var bundle: String?
    }

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        let user = try arguments.option("--user")
        let product = try arguments.option("--product")
        let order = try arguments.option("--order")
        let bundle = try arguments.option("--bundle")
        let environments = StoreEnvironment.allCases.map(\.rawValue)
        let environment = try arguments.choice("--environment", among: environments) ?? "Sandbox"
        let provider = try arguments.positional()
        let event = try arguments.positional()
        guard let provider, let event else {
            throw UsageError("say a store and a type: paycast trigger apple TYPE/SUBTYPE")
        }
        guard provider == Provider.apple.rawValue else {
            throw UsageError(
                "no simulated store is named \(quoted(provider))" + suggestion(for: provider, among: ["apple"])
            )
        }
        if let order, OrderToken(order) == nil { throw UsageError("--order is a UUID, not \(quoted(order))") }
        let words = event.split(separator: "/", maxSplits: 1).map(String.init)
        guard let type = words.first else { throw UsageError("the type is empty") }
        notification = Notification(
            provider: .apple,
            type: type,
            subtype: words.dropFirst().first,
            user: user,
            product: product,
            order: order.flatMap { OrderToken($0) },
            environment: StoreEnvironment(rawValue: environment) ?? .sandbox,
            bundle: bundle
        )
    }

    func run() throws(CommandFailure) -> Int32 {
        throw CommandFailure("this build has no simulated store to send \(notification.type) to \(remote.url)")
    }
}
