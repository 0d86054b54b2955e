import Domain
import Simulator

/// What the disk holds of each notification, and what was written to keep it there: journal, checkpoints and all.
enum DiskUse: Benchmark {
    static let name = "disk"
    private static let count = 10_000
    private static let inFlight = 16

    /// In kilobytes for each notification.
    private struct Use {
        var body: Double
        var written: Double
        var growth: Double
    }

    static func run(_ report: inout Report) throws {
        // Google's stand-in forgets purchases when the server starts again.
        for provider in SimulatedStores.providers where provider != .google {
            let use = try withTemporaryFolder { try measure(provider, in: $0) }
            add(use, to: &report, figure: "\(provider) notifications of \(decimal(use.body)) KB")
        }
        try withPostgres { postgres in
            for provider in [Provider.apple, .stripe] {
                let use = try withTemporaryFolder { try measure(provider, in: $0, postgres: postgres) }
                add(use, to: &report, figure: "the same on PostgreSQL, \(provider)")
            }
        }
        report.remark("On PostgreSQL, what is written is its log.")
    }

    private static func add(_ use: Use, to report: inout Report, figure: String) {
        report.add("\(figure): written to the disk", "KB each", use.written)
        report.add("\(figure): the ledger grows by", "KB each", use.growth)
    }

    /// The server starts twice: what the orders left in the journal is in the ledger before the first notification.
    private static func measure(_ provider: Provider, in folder: String) throws -> Use {
        let file = folder + "/paycast.db"
        let requests = try prepared(provider, with: PaycastTarget(in: folder))
        let size = fileSize(file)
        let written = try deliver(requests, to: PaycastTarget(in: folder)) { ProcessFigures(id: $0).bytesWritten }
        return Use(body: kilobytes(requests), written: written, growth: (fileSize(file) - size) / scale)
    }

    private static func measure(_ provider: Provider, in folder: String, postgres: PostgresServer) throws -> Use {
        let database = try postgres.newDatabase()
        let start = { try PaycastTarget(in: folder, port: 0, database: postgres.url(database)) }
        let requests = try prepared(provider, with: start())
        let size = try postgres.size(of: database)
        let written = try deliver(requests, to: start()) { _ in try postgres.logWritten(database) }
        return Use(
            body: kilobytes(requests),
            written: written,
            growth: (try postgres.size(of: database) - size) / scale
        )
    }

    private static func prepared(_ provider: Provider, with target: PaycastTarget) throws -> [[UInt8]] {
        let loop = LoadLoop()
        return try withExtendedLifetime(loop) {
            let publishers = Publishers(target, connections: inFlight, on: loop)
            return try PurchaseLoad(count, of: provider, at: target, publishers: publishers).requests
        }
    }

    /// What `bytes` has grown by, in kilobytes for each request.
    private static func deliver(
        _ requests: [[UInt8]],
        to target: PaycastTarget,
        counting bytes: (Int32) throws -> Double
    ) throws -> Double {
        let loop = LoadLoop()
        let publishers = Publishers(target, connections: inFlight, on: loop)
        let before = try bytes(target.process.id)
        for request in requests { try publishers.send(request) }
        try publishers.finish()
        try ProcessFigures(id: target.process.id).waitUntilIdle(loop)
        return (try bytes(target.process.id) - before) / scale
    }

    private static let scale = Double(count) * 1000

    private static func kilobytes(_ requests: [[UInt8]]) -> Double {
        Double(requests.reduce(0) { $0 + $1.count }) / Double(requests.count) / 1000
    }
}
