internal import Domain
internal import Postgres
internal import PostgresLedger
internal import StoreInterface

/// Asks the PostgreSQL server that keeps the ledger.
struct PostgresCheck {
    let url: String
    let now: Instant

    var findings: [Finding] {
        let address: PostgresURL
        do throws(PostgresURL.Failure) {
            address = try PostgresURL(url)
        } catch {
            return [.fail("ledger", detail: "DATABASE_URL \(error)")]
        }
        do throws(PostgresError) {
            return findings(of: try PostgresInspection(address), at: address)
        } catch {
            return [.fail("ledger", detail: "\(address): \(error.advice)")]
        }
    }

    private func findings(of found: PostgresInspection, at address: PostgresURL) -> [Finding] {
        let names = found.nodes.map { node in
            "\(node.name) (seen \(node.silentSeconds) s ago\(node.leads ? ", leads" : ""))"
        }
        let nodes = names.isEmpty ? "no node runs" : "nodes: \(names.joined(separator: ", "))"
        let replication =
            found.standbys == 0
            ? "no standby"
            : "\(found.standbys) standbys"
                + (found.lagBytes < 0
                    ? " (grant pg_monitor to see their lag)" : ", \(found.lagBytes) bytes behind at most")
        var findings: [Finding] = [
            .ok("ledger", detail: "\(address) answers: PostgreSQL \(found.version), \(replication); \(nodes)")
        ]
        if found.standbys > 0, !found.isSynchronous {
            findings.append(
                .warn(
                    "ledger",
                    detail: "a failover may lose the last commits: set synchronous_standby_names, if none may be lost"
                )
            )
        }
        if found.queuePercent >= 10 {
            let todo = "find the session that listens and sleeps in a transaction: pg_stat_activity"
            findings.append(
                .warn("ledger", detail: "the notification queue is \(found.queuePercent) % full: \(todo)")
            )
        }
        let ahead = abs(found.now - now.milliseconds)
        if ahead > 2000 {
            findings.append(
                .warn("ledger", detail: "its clock and this machine's differ by \(ahead / 1000) s: check both")
            )
        }
        return findings
    }
}
