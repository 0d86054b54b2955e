import CPostgres
import Glibc

/// A notification from a session.
public struct PostgresNotification: Sendable, Equatable {
    public let channel: String
    public let payload: String
    /// The server process that sent it: `PostgresConnection.backend` of the sender's connection.
    public let backend: Int32
}

/// A connection that listens.
///
/// A lost session forgets its channels, and notifications are lost meanwhile: `wait` throws, and the caller, after it
/// calls `listen` again, must look for what it has missed.
extension PostgresConnection {
    /// All in one transaction. Waits until the server has registered them. A pooler would accept them and deliver nothing:
    /// send yourself a notification and wait for it.
    public func listen(_ channels: [String]) throws(EngineError) {
        try execute(channels.map { "LISTEN \(PostgresConnection.quoted($0))" }.joined(separator: "; "))
        listeningSession = session
    }

    public func unlisten(_ channels: [String]) throws(EngineError) {
        try execute(channels.map { "UNLISTEN \(PostgresConnection.quoted($0))" }.joined(separator: "; "))
    }

    private static func quoted(_ channel: String) -> String {
        "\"" + channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Sends all payloads in one transaction: a pipeline without BEGIN is one
    /// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html). Listeners receive them together, in order.
    public func notify(_ channel: String, payloads: [String]) throws(EngineError) {
        let statement = prepare("SELECT pg_notify(?, ?)")
        for payload in payloads { try statement.run([.text(channel), .text(payload)]) }
        try synchronize()
    }

    /// Sleeps until notifications have come, until `waker` can be read, or until `timeout`; returns nothing in the last
    /// two cases.
    public func wait(timeout: Duration, waker: Int32? = nil) throws(EngineError) -> [PostgresNotification] {
        guard session == listeningSession, let session = current else {
            throw EngineError(.connectionLost, "it listens to nothing")
        }
        let deadline = ContinuousClock.now + timeout
        while true {
            let found = session.takeNotifications()
            if !found.isEmpty { return found }
            guard session.waitForSocket(POLLIN, or: waker, until: deadline) else { return [] }
            guard PQconsumeInput(session.handle) == 1 else {
                // This reads the server's last message as well.
                _ = session.takeNotifications()
                let error = session.lost()
                close()
                throw error
            }
        }
    }
}

extension PostgresSession {
    fileprivate func takeNotifications() -> [PostgresNotification] {
        var found: [PostgresNotification] = []
        while let notification = PQnotifies(handle) {
            defer { PQfreemem(notification) }
            found.append(
                PostgresNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra),
                    backend: notification.pointee.be_pid
                )
            )
        }
        return found
    }
}
