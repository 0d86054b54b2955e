internal import Domain
internal import Simulator

/// The options of `trigger`, apart from the event.
struct TriggerOptions {
    /// For whom, and where; the type is filled in later.
    let request: StoreDriver.Request
    let faults: DeliveryFaults
    let seed: UInt64?
    /// A file, or the name of a built-in scenario.
    let scenario: String?
    let expected: [Expectation]
    /// Waits until the app's backend knows of it.
    let expectsHook: Bool
    let timeout: Duration
    let printsJSON: Bool
    /// Prints the store's events and delivers nothing.
    let isList: Bool
    /// Sends a type that the store does not document unchanged.
    let isForced: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        printsJSON = try arguments.flag("--json")
        isList = try arguments.flag("--list")
        isForced = try arguments.flag("--force")
        expectsHook = try arguments.flag("--expect-hook")
        seed = try arguments.seed("--shuffle")
        scenario = try arguments.option("--scenario")
        timeout = .seconds(try arguments.number("--timeout", in: 1...3600) ?? 10)
        faults = DeliveryFaults(
            copies: try arguments.number("--duplicate", in: 1...1000) ?? 1,
            delay: .seconds(try arguments.number("--delay", in: 0...315_360_000) ?? 0),
            isTampered: try arguments.flag("--tamper"),
            isStale: try arguments.flag("--stale"),
            isLost: try arguments.flag("--lose")
        )
        request = try TriggerOptions.request(&arguments)
        var expected: [Expectation] = []
        for name in try arguments.options("--expect") {
            do { expected.append(try Expectation(name)) } catch { throw UsageError("--expect: \(error.message)") }
        }
        expected += try arguments.options("--expect-text").map { .text($0) }
        if !expected.isEmpty && request.user == nil { throw UsageError("--expect needs --user: whose page?") }
        if expectsHook && request.user == nil { throw UsageError("--expect-hook needs --user: whom is it about?") }
        self.expected = expected
    }

    /// True if nothing needs the server's clock, or more than one delivery.
    var isOneDelivery: Bool { faults == .none && seed == nil }

    private static func request(_ arguments: inout Arguments) throws(UsageError) -> StoreDriver.Request {
        let user = try arguments.option("--user")
        if let user, !isValidIdentifier(user) {
            throw UsageError("--user must have 1 to 255 bytes and no control characters")
        }
        let product = try arguments.option("--product")
        let order = try arguments.option("--order")
        let kind = try arguments.choice("--kind", among: ProductKind.allCases.map(\.rawValue))
        let app = try arguments.option("--bundle")
        let environment = try arguments.choice("--environment", among: StoreEnvironment.ofStores.map(\.rawValue))
        if let order, OrderToken(order) == nil { throw UsageError("--order must be a UUID, not \(quoted(order))") }
        var token = order.flatMap { OrderToken($0) }
        // No order announced this purchase, so its buyer is unknown.
        if user == nil && token == nil { token = .random() }
        var request = StoreDriver.Request(type: "", user: user, order: token)
        request.product = product
        request.kind = kind.flatMap { ProductKind(rawValue: $0) }
        request.environment = environment.flatMap { StoreEnvironment(rawValue: $0) } ?? .sandbox
        request.app = app
        return request
    }
}
