import Ledger
import Stores

/// Checks the ledger's files while no server uses them.
struct LedgerCheck {
    let ledger: LedgerInspection
    let isDevelopment: Bool
    /// A server that answers may be on another machine, and so may its ledger.
    let serverAnswers: Bool

    var findings: [Finding] {
        guard ledger.state != .missing || !serverAnswers else { return [] }
        return [content] + [rights, disk].compactMap { $0 }
    }

    private var content: Finding {
        let path = ledger.path
        switch ledger.state {
        case .inUse(let holder): return ok("\(path) is in use by \(holder)")
        case .whole: return ok("\(path) was read from the first page to the last and is intact")
        case .long: return ok("\(path) is too large to be read here; “paycast backup FILE” reads all of it")
        case .hasJournal:
            return ok("\(path) has the journal of a server that was killed; the next start reads it")
        case .missing:
            guard !isDevelopment else { return ok("no ledger at \(path) yet: “serve” creates it") }
            return warn("no ledger at \(path): “serve” creates a new one; if there was one, restore a backup")
        case .empty: return warn("\(path) is empty: “serve” creates a new one; if it held one, restore a backup")
        case .damaged: return fail("\(path) is damaged: replace it with a backup: “paycast restore FILE”")
        case .foreign: return fail("\(path) is not a Paycast ledger: set DATABASE_URL to another path")
        case .unfinishedCopy: return fail("\(path) cannot be used: \(UnfinishedCopy.advice)")
        case .refused(let error): return fail("\(error)")
        case .unreadable(let reason):
            return fail("\(path) cannot be read (\(reason)): run this as the server's user, or fix its owner and mode")
        }
    }

    private var rights: Finding? {
        if case .inUse = ledger.state { return nil }
        if !ledger.isWritable {
            return fail(
                "this user may not write \(ledger.path) or its folder: run the server as their owner, or fix their mode"
            )
        }
        guard ledger.mode & 0o077 != 0 else { return nil }
        let mode = String(ledger.mode, radix: 8)
        return warn("others may open \(ledger.path) (mode \(mode)), which holds who bought what: chmod 600 it")
    }

    private var disk: Finding? {
        guard ledger.diskIsFull, let free = ledger.freeBytes else { return nil }
        return fail("the disk of \(ledger.path) has \(free) bytes left: make room")
    }

    private func ok(_ text: String) -> Finding { .ok("ledger", detail: text) }
    private func warn(_ text: String) -> Finding { .warn("ledger", detail: text) }
    private func fail(_ text: String) -> Finding { .fail("ledger", detail: text) }
}

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
        do throws(EngineError) {
            return findings(of: try PostgresInspection.report(at: address), at: address)
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
        let settings = found.settingSentences
        return findings + found.warnings.map { .warn("ledger", detail: $0) }
            + settings.problems.map { .fail("nodes", detail: $0) }
            + settings.warnings.map { .warn("nodes", detail: $0) }
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
