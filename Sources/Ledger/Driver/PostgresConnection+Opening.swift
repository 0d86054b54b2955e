import CPostgres
import Domain
import Glibc

/// Opens sessions.
extension PostgresConnection {
    /// Tries each host in turn, as libpq does, but with a deadline for each and with the server's error codes.
    ///
    /// A host name that cannot be resolved blocks the thread as long as the system's resolver waits.
    func openSession() throws(EngineError) -> PostgresSession {
        var failures: [EngineError] = []
        for host in url.hosts {
            do throws(EngineError) {
                return try openSession(at: host)
            } catch {
                // The other hosts of a cluster have the same passwords.
                if error.kind == .denied { throw error }
                failures.append(error)
            }
        }
        let telling = failures.first { $0.kind == .connectionLost } ?? failures.first
        let messages = failures.map(\.message).joined(separator: "; ")
        throw EngineError(telling?.kind ?? .statement, sqlState: telling?.sqlState ?? "", messages)
    }

    private func openSession(at host: [String: String]) throws(EngineError) -> PostgresSession {
        do throws(EngineError) {
            return try connect(to: host, words: words)
        } catch {
            // A pooler refuses the parameter `options`: https://www.pgbouncer.org/config.html#ignore_startup_parameters
            guard error.sqlState == "08P01" else { throw error }
            return try connect(to: host, words: nil)
        }
    }

    private var words: String? {
        [url.parameters["options"], options.words].compactMap { $0 }.joined(separator: " ")
    }

    private func parameters(for host: [String: String], words: String?) -> [String: String] {
        var parameters = [
            "application_name": options.applicationName,
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "\(options.unacknowledged.milliseconds)",
        ]
        parameters.merge(url.parameters) { _, given in given }
        parameters["client_encoding"] = "UTF8"
        parameters.merge(host) { _, given in given }
        parameters["options"] = words
        return parameters
    }

    /// For each host.
    var connectLimit: Duration {
        let given = url.parameters["connect_timeout"].flatMap { Int64($0) } ?? 0
        guard given > 0 else { return options.connect }
        return options.waitsAsTold ? .seconds(given) : min(.seconds(given), options.connect)
    }

    private func connect(to host: [String: String], words: String?) throws(EngineError) -> PostgresSession {
        let session = try start(parameters(for: host, words: words))
        let deadline = ContinuousClock.now + connectLimit
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw session.connectFailure }
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard session.waitForSocket(events, until: deadline) else {
                let name = PostgresURL.name(of: host)
                throw EngineError(.connectionLost, "\(name) did not answer within \(connectLimit)")
            }
            state = PQconnectPoll(session.handle)
        }
        try session.begin()
        return session
    }

    private func start(_ parameters: [String: String]) throws(EngineError) -> PostgresSession {
        let pairs = parameters.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (keyword, value) in pairs {
                free(keyword)
                free(value)
            }
        }
        let keywords = pairs.map { UnsafePointer<CChar>($0.0) } + [nil]
        let values = pairs.map { UnsafePointer<CChar>($0.1) } + [nil]
        guard let handle = PQconnectStartParams(keywords, values, 0) else {
            throw EngineError(.statement, "out of memory")
        }
        return PostgresSession(handle, options: options)
    }
}
