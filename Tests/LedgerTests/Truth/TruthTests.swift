import Domain
import Glibc
import TestSupport
import Testing

/// Thousands of random, legal histories of every store: whatever comes late, twice or from an app, the ledger and every
/// page end as if everything had come in order. `PAYCAST_SEED` sets the first seed, `PAYCAST_HISTORIES` how
/// many there are.
@Suite struct TruthTests {
    private static let first = number("PAYCAST_SEED") ?? UInt64.random(in: 1...1_000_000_000)
    /// In PostgreSQL, each question is a round trip.
    private static let count =
        number("PAYCAST_HISTORIES") ?? (GeneratedCases.areWhole && !TemporaryLedger.isInPostgres ? 1000 : 40)
    private static let shares = 4

    @Test(arguments: 0..<UInt64(shares))
    func everyOrderEndsInTheSameState(share: UInt64) {
        print("PAYCAST_SEED=\(Self.first) share \(share)")
        var ledgers: [TransferPolicy: Ledgers] = [:]
        var failures = 0
        for number in 0..<Self.count where number % UInt64(Self.shares) == share && failures < 3 {
            let history = HistoryWriter.history(seed: Self.first + number)
            do {
                let together = try ledgers[history.policy] ?? Ledgers(history.policy)
                ledgers[history.policy] = together
                guard let failure = try together.failure(of: history) else { continue }
                Issue.record(Comment(rawValue: failure.smallest.report))
            } catch let failure as Failure {
                Issue.record(Comment(rawValue: failure.smallest.report))
                ledgers[history.policy] = nil
            } catch {
                Issue.record("seed \(history.seed), in order: \(error)")
                ledgers[history.policy] = nil
            }
            failures += 1
        }
    }

    /// The same histories, in order and in other orders.
    final class Ledgers {
        private let inOrder: TruthLedger
        private let others: [TruthLedger]

        init(_ policy: TransferPolicy) throws {
            inOrder = try TruthLedger(policy: policy)
            others = try (0..<3).map { _ in try TruthLedger(policy: policy) }
        }

        /// Nil when all is well.
        func failure(of history: History) throws -> Failure? {
            var generator = SeededGenerator(seed: history.seed &* 2_654_435_761)
            let orders = others.map { _ in history.arrivals(using: &generator) }
            let end = orders.compactMap(\.last?.at).reduce(history.end, max)
            let expected = try inOrder.run(history.inOrder, of: history.users, until: end)
            if let text = try inOrder.contradiction(of: history.timelines, at: end) {
                return Failure(history: history, arrivals: history.inOrder, text: text)
            }
            for (ledger, arrivals) in zip(others, orders) {
                let found: [UserID: TruthLedger.Final]
                do {
                    found = try ledger.run(arrivals, of: history.users, until: end)
                } catch {
                    throw Failure(history: history, arrivals: arrivals, text: "\(error)")
                }
                guard found != expected else { continue }
                let text = "in order: \(expected)\nfound:    \(found)"
                return Failure(history: history, arrivals: arrivals, text: text)
            }
            return nil
        }
    }

    /// A history, and an order of deliveries that ends in another state.
    struct Failure: Error {
        var history: History
        var arrivals: [Arrived]
        var text: String

        /// The same failure without the deliveries that it does not need.
        var smallest: Failure {
            var smallest = self
            for delivery in history.deliveries where !delivery.isRead {
                if let smaller = smallest.without(delivery.number) { smallest = smaller }
            }
            return smallest
        }

        /// Nil when there is no failure without that delivery.
        private func without(_ number: Int) -> Failure? {
            var smaller = self
            smaller.history = history.without(number)
            smaller.arrivals.removeAll { $0.delivery.number == number }
            let end = max(history.end, arrivals.last?.at ?? history.end)
            do {
                let expected = try TruthLedger(policy: history.policy)
                    .run(smaller.history.inOrder, of: history.users, until: end)
                let found = try TruthLedger(policy: history.policy)
                    .run(smaller.arrivals, of: history.users, until: end)
                smaller.text = "in order: \(expected)\nfound:    \(found)"
                return expected == found ? nil : smaller
            } catch {
                smaller.text = "\(error)"
                return smaller
            }
        }

        var report: String {
            let steps = [history.inOrder, arrivals].map { list in
                list.map { "\n  \($0.at.iso8601) \($0.delivery.number) \($0.delivery.name)" }.joined()
            }
            return "seed \(history.seed), \(history.policy.rawValue)\(steps[0])\narrived:\(steps[1])\n\(text)"
        }
    }

    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }
}
