import Domain
import Ledger
import Support

/// Tells users and the app's backend what another catalog opens, after a reload or a start: in steps that hold nobody up. It
/// also knows which products the catalog lacks, for `/ready` and the log.
struct CatalogRunner: BackgroundWork {
    /// A step takes some milliseconds of the writer's thread.
    private static let pause = Duration.milliseconds(10)
    private static let interval = Duration.seconds(1)
    /// How many products a warning names; `/attention` has the rest.
    private static let namedLimit = 5

    let context: WorkContext
    let routine = Routine()
    private let unlisted = SharedValue<[UnlistedProduct]>([])

    init(_ context: WorkContext) { self.context = context }

    private struct State {
        /// After which row the next step begins; nil if none is running.
        var row: Int64?
        /// Those that the log has.
        var logged: Set<UnlistedProduct> = []
    }

    func start() {
        routine.start("catalog", state: State()) { state in turn(&state) }
    }

    /// For `/ready`: as of the last second, so that it never waits for the ledger.
    var warnings: [String] {
        let products = unlisted.value
        guard !products.isEmpty else { return [] }
        let named = products.prefix(CatalogRunner.namedLimit).map { "\(quoted($0.product)) (\($0.provider))" }
        let rest = products.count > named.count ? " and others, which /attention lists" : ""
        return [
            "catalog: users have products that PAYCAST_CATALOG does not name, and that open nothing: "
                + "\(named.joined(separator: ", "))\(rest); name them with the entitlements that they open, "
                + "a rental with its duration, and send SIGHUP"
        ]
    }

    private func turn(_ state: inout State) -> Duration {
        // A step's own commands come between others, and so may a reload, whose catalog is then told from the start.
        let found = answer { done in
            context.reader.ask({ (isTold: try $0.isCatalogTold(), unlisted: try $0.unlistedProducts()) }, done)
        }
        guard let found else { return CatalogRunner.interval }
        unlisted.replace(with: found.unlisted)
        log(found.unlisted, &state)
        guard !found.isTold, let lease = context.leaderLease.lease else {
            state.row = nil
            return CatalogRunner.interval
        }
        return step(&state, under: lease)
    }

    private func step(_ state: inout State, under lease: Lease) -> Duration {
        let row = state.row
        let next = answer { done in
            context.writer.submit(.led(.tellCatalog(after: row, completion: done), under: lease))
        }
        guard let next else { return CatalogRunner.interval }
        if next == nil, row != nil {
            context.log.info("catalog told", fields: ["to": "all whose purchases it opens otherwise"])
        }
        state.row = next
        return next == nil ? CatalogRunner.interval : CatalogRunner.pause
    }

    /// Once for each product.
    private func log(_ products: [UnlistedProduct], _ state: inout State) {
        for product in products where state.logged.insert(product).inserted {
            context.log.warning(
                "product is not in the catalog",
                fields: [
                    "product": product.product, "provider": product.provider,
                    "todo": "name it in PAYCAST_CATALOG with what it opens, or for how long, and send SIGHUP",
                ]
            )
        }
        // A product that was named, and is not any more, is news again.
        state.logged.formIntersection(products)
    }
}
