import Domain
import Simulator
import Support

/// Delivers what a store would, locally signed, to a development server: one event, or a whole scenario.
public struct Trigger: Command {
    public static let name = "trigger"
    public static let summary = "deliver a locally signed store event to a development server"
    public static let help = """
        Deliver a locally signed store event to a development server.

        Usage: paycast trigger STORE TYPE[/SUBTYPE] [OPTIONS]
               paycast trigger STORE --scenario FILE [OPTIONS]
               paycast trigger STORE --list

        STORE is \(sellerNames). Instead of a
        type, name a step that the store has: initial, trial, renew, grace, retry,
        recover, cancel, resume, expire, refund, reversed, pause, upgrade, downgrade.
        Prints the outcome, the event's id and its cursor; exits 1 when the server
        refuses it, or when something expected does not arrive. Needs the server's
        .paycast/. The answer to Google has no outcome: it is read from the feed, or
        printed as “unknown”.

        Options:
          --user USER           who pays
          --order UUID          the order that the purchase carries; without it, one is
                                created for the user
          --product PRODUCT     what is bought
          --kind KIND           what kind of product: subscription (default),
                                non_renewing, non_consumable, consumable
          --environment WORD    Sandbox (default) or Production
          --bundle ID           the app's id at the store: bundle id, package …
          --expect NAME         wait until the user's page receives this fragment after
                                the last event: success, paywall:success …;
                                may be repeated
          --expect-text TEXT    … or markup with this text in it
          --expect-hook         … and until every address of the app's backend has
                                accepted the user's newest state
          --timeout SECONDS     how long to wait for it, 10
          --json                the server's answer as JSON
          --list                print the store's events, and deliver nothing
          --force               send a type even if the store does not document it

        Deliberate faults:
          --duplicate NUMBER    deliver it this many times; all but the first must be
                                answered “duplicate”
          --delay SECONDS       deliver it this long after it was signed
          --tamper              change a byte after signing; exit 1 if it is accepted
          --stale               deliver the store's previous event after it
          --lose                deliver nothing: only the store's history has it
          --shuffle [SEED]      deliver a scenario's events in another order. Checks
                                that no late event moves a page back (not with --delay:
                                time changes states, too), and in the end what the last
                                step expects. What earlier steps expect is not checked:
                                it holds only in the original order.

        Scenarios:
          --scenario FILE       a file, “-” for stdin, or one of life, lapse, recovery.
                                One step per line, or several with → between them:
                                  initial expect success
                                  +31d DID_RENEW         # this much later
                                  grace expect warn_billing outcome applied
                                A step may be followed by product P, duplicate N,
                                delay 5m, tamper, stale or lose as well. Moves the
                                server's clock.
        \(RemoteServer.optionsHelp)

        Example: paycast trigger apple SUBSCRIBED/INITIAL_BUY --user 42
        """

    private let remote: RemoteServer
    private let options: TriggerOptions
    private let provider: Provider
    private let words: StoreEventParser
    /// Nil with a scenario.
    private let event: String?

    public init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        options = try TriggerOptions(&arguments)
        let store = try arguments.positional()
        let event = try arguments.positional()
        let isAsked = event != nil || options.isList
        guard let store, isAsked == (options.scenario == nil), event == nil || !options.isList else {
            throw UsageError("name a store and a type, or a scenario: paycast trigger apple TYPE/SUBTYPE")
        }
        guard SimulatedStores.names.contains(store) else {
            let hint = suggestion(for: store, among: SimulatedStores.names)
            throw UsageError("no simulated store is named \(quoted(store))" + hint)
        }
        guard event != "" else { throw UsageError("the type is empty") }
        provider = Provider(rawValue: store)
        words = StoreEventParser(
            vocabulary: LifecycleEventNames(provider, kind: options.request.kind ?? .subscription),
            types: SimulatedStores.store(provider)?.types ?? []
        )
        self.event = event
        if let event { try refuseUnknown(event) }
    }

    /// A mistyped event would be answered 200 and change nothing.
    private func refuseUnknown(_ event: String) throws(UsageError) {
        do throws(CommandFailure) {
            let known = try words.events(event).last
            guard !options.isForced, let known, let hint = words.refusal(of: known.type) else { return }
            throw CommandFailure(hint)
        } catch {
            throw UsageError(error.message)
        }
    }

    public func run() throws -> Int32 {
        // Needs neither a server nor its keys.
        if options.isList {
            printAsIs(words.list)
            return 0
        }
        let workspace = try DevelopmentWorkspace.existing(in: ".")
        guard let store = workspace.store(provider) else {
            throw CommandFailure("there is no simulated \(provider.rawValue) yet")
        }
        let scenario = try scenario()
        let isOne = options.isOneDelivery && scenario.steps.count == 1
        let report = PlayReport(
            style: isOne ? (options.printsJSON ? .answer : .single) : (options.printsJSON ? .json : .lines)
        )
        var player = ScenarioPlayer(
            driver: StoreDriver(server: remote.url, apiKey: remote.key ?? workspace.apiKey, store: store),
            words: words,
            template: options.request,
            watch: try watch(scenario),
            timeout: options.timeout,
            now: isOne ? Clock().now() + workspace.clockOffset : nil,
            report: report
        )
        return try play(scenario, with: &player)
    }

    private func play(_ scenario: Scenario, with player: inout ScenarioPlayer) throws -> Int32 {
        var line = 0
        do {
            if let seed = options.seed {
                printError("paycast: shuffled with --shuffle \(seed)")
                try player.shuffle(scenario.steps, seed: seed)
                printError("paycast: \(scenario.whatShufflingChecks)")
            } else {
                for step in scenario.steps {
                    line = step.line
                    try player.play(step)
                }
            }
            if options.expectsHook, let user = options.request.user {
                try remote.waitForHooks(of: user, from: player.newest, timeout: options.timeout)
            }
            return 0
        } catch {
            if case PlayError.refused = error, options.printsJSON { return 1 }
            let place = options.scenario == nil || line == 0 ? "" : "\(options.scenario ?? ""):\(line): "
            let found = (error as? PlayError)?.message { remote.failure(status: $0.status, body: $0.body) }
            throw CommandFailure(place + (found ?? "\(error)"))
        }
    }

    /// The page opens before anything happens. The feed supplies the outcomes that Google's answers lack, and shows
    /// whether another order takes a page back.
    private func watch(_ scenario: Scenario) throws(CommandFailure) -> PageWatch? {
        let user = options.request.user
        if user == nil, scenario.steps.contains(where: { !$0.expected.isEmpty }) {
            throw CommandFailure("a fragment is expected on a page: name its user with --user")
        }
        let isExpecting = scenario.steps.contains { !$0.expected.isEmpty }
        guard isExpecting || options.seed != nil || provider == .google else { return nil }
        return try PageWatch(remote, user: isExpecting || options.seed != nil ? user : nil, timeout: options.timeout)
    }

    private func scenario() throws(CommandFailure) -> Scenario {
        let name = options.scenario ?? "trigger"
        var scenario: Scenario
        if let event {
            scenario = Scenario(steps: try steps(event))
        } else {
            let builtIn = Scenario.builtIn.first { $0.key == name }?.value
            let text = if let builtIn { builtIn } else { try file(name) }
            do throws(CommandFailure) {
                scenario = try ScenarioParser(words: words, isLenient: builtIn != nil).parse(text)
            } catch {
                throw CommandFailure("\(name):\(error.message)")
            }
        }
        for index in scenario.steps.indices {
            scenario.steps[index].faults = scenario.steps[index].faults.merging(options.faults)
        }
        scenario.steps[scenario.steps.count - 1].expected += options.expected
        return scenario
    }

    private func steps(_ event: String) throws(CommandFailure) -> [Scenario.Step] {
        let events = try words.events(event)
        if let type = events.last?.type, let hint = words.hint(about: type) { printError("paycast: \(hint)") }
        return Scenario.Step.all(events, line: 0, after: .zero)
    }

    private func file(_ path: String) throws(CommandFailure) -> String {
        if path == "-" { return try readStandardInput() }
        guard let bytes = try? SmallFile.read(path) else {
            let hint = nearest(to: path, among: Scenario.names).map { ". Did you mean \($0)?" } ?? ""
            let known = Scenario.names.joined(separator: ", ")
            throw CommandFailure("\(quoted(path)) is neither a file that can be read nor one of \(known)\(hint)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

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
