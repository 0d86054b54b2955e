/// Fills a ledger with a year of a busy app, using the `sqlite3` tool: events, the fragments for pages, and contracts.
enum LedgerFill {
    static let eventsPerUser = 10
    static let bodySize = 1000

    static func fill(_ path: String, events: Int) throws(BenchmarkError) {
        let isFilled = try Child.run(["/usr/bin/env", "sqlite3", path, script(events)])
        guard isFilled else { throw .notStarted("filling a ledger needs the sqlite3 tool and this version's schema") }
    }

    private static func script(_ events: Int) -> String {
        """
        PRAGMA synchronous = OFF;
        BEGIN;
        CREATE TEMP TABLE numbers AS
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(events))
            SELECT n, n % (\(events) / \(eventsPerUser)) AS contract, 1700000000000 + n * 1000 AS instant FROM numbers;
        INSERT INTO entries (position, committed_at, kind, provider, environment, type, event, outcome, user, contract,
                product, state, active)
            SELECT n, instant, 'subscription.renewed', 'apple', 'Sandbox', 'DID_RENEW', 'event-' || n, 'applied',
                'bench-' || contract, 'lineage-' || contract, 'pro', 'active', 1 FROM numbers;
        INSERT INTO events (position, provider, environment, event, app, signed_at, received_at, contract, body)
            SELECT n, 'apple', 'Sandbox', 'event-' || n, 'app', instant, instant,
                contract + (\(events) / \(eventsPerUser)) * (contract = 0), zeroblob(\(bodySize)) FROM numbers;
        INSERT INTO fragments (position, ordinal, stream, action, target, collapse_key, content, template, body)
            SELECT n, 0, 'user:bench-' || contract || ':paywall', 'replace', 'paywall', 'replace paywall', 'template', 'success',
                '' FROM numbers;
        INSERT INTO contracts (id, provider, environment, app, lineage, kind, user, user_at, is_family_shared, state, product,
                access_until, ends_at)
            SELECT n, 'apple', 'Sandbox', 'app', 'lineage-' || contract, 'subscription', 'bench-' || contract, instant, 0, 'active',
                'pro', 4000000000000, 4000000000000 FROM numbers WHERE n <= \(events) / \(eventsPerUser);
        COMMIT;
        """
    }
}
