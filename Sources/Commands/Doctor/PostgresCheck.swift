internal import Ledger
internal import PostgresLedger
internal import Stores

/// Asks the PostgreSQL server of the ledger about itself and its nodes.
struct PostgresCheck {
    let url: String

    var findings: [Finding] {
        let address: PostgresURL
        do throws(PostgresURL.Failure) {
            address = try PostgresURL(url)
        } catch {
            return [.fail("ledger", detail: "DATABASE_URL \(error)")]
        }
        do throws(PostgresError) {
            return findings(of: try PostgresInspection(address).report(), at: address)
        } catch {
            return [.fail("ledger", detail: "\(address): \(error.advice)")]
        }
    }

    private func findings(of found: SharedLedgerReport, at address: PostgresURL) -> [Finding] {
        guard !found.isUnfinishedCopy else {
            return [.fail("ledger", detail: "\(address) cannot be used: \(UnfinishedCopy.advice)")]
        }
        if let refusal = found.refusal { return [.fail("ledger", detail: "\(address): \(refusal)")] }
        let way = found.isPooled ? "\(address) answers through a pooler" : "\(address) answers"
        let detail = "\(way): PostgreSQL \(found.version), \(replication(of: found)); \(nodes(of: found))"
        var findings: [Finding] = [.ok("ledger", detail: detail)]
        if found.replication == .asynchronous {
            findings.append(
                .warn(
                    "ledger",
                    detail: "a failover may lose the last commits: set synchronous_standby_names, if none may be lost"
                )
            )
        }
        return findings + found.warnings.map { .warn("ledger", detail: $0) }
    }

    private func nodes(of found: SharedLedgerReport) -> String {
        guard !found.nodes.isEmpty else { return "no node runs" }
        let names = found.nodes.map { node in
            let seen = "seen \(node.silentSeconds) s ago"
            return "\(node.name) (\(version(node.version)), \(seen)\(node.leads ? ", leads" : ""))"
        }
        let list = "nodes: \(names.joined(separator: ", "))"
        guard found.versions.count > 1 else { return list }
        return list + "; several versions run: \(found.versions.map(version).joined(separator: ", "))"
    }

    private func version(_ version: String) -> String { version.isEmpty ? "version unknown" : version }

    private func replication(of found: SharedLedgerReport) -> String {
        guard found.standbys > 0 else {
            return found.replication == .synchronous ? "no standby, though commits wait for one" : "no standby"
        }
        let lag = found.lagBytes.map { "\($0) bytes behind at most" } ?? "grant pg_monitor to see their lag"
        return "\(found.standbys) \(found.replication.rawValue) standbys (\(lag))"
    }
}
