/// A statement of one connection. The server prepares it when a session needs it for the first time, in the same round
/// trip.
public final class PostgresStatement {
    private let connection: PostgresConnection
    private let text: StatementText

    init(_ text: StatementText, on connection: PostgresConnection) {
        self.text = text
        self.connection = connection
    }

    public var sql: String { text.sql }

    /// Tells it apart from the connection's other ones.
    public var name: String { text.name ?? text.sql }

    /// Queues it for its effect. A failure shows when something is waited for, at the latest by `commit`.
    public func run(_ values: [PostgresValue] = []) throws(PostgresError) {
        try connection.queue(text, values, body: nil, answer: nil)
    }

    /// Queues it for its effect, with `body` as the last parameter.
    public func run(_ values: [PostgresValue] = [], body: UnsafeRawBufferPointer) throws(PostgresError) {
        try connection.queue(text, values, body: body, answer: nil)
    }

    /// Queues it for its effect, with `body` as the last parameter, which only libpq copies.
    public func run(_ values: [PostgresValue] = [], body: borrowing [UInt8]) throws(PostgresError) {
        let failure = body.withUnsafeBytes { bytes -> PostgresError? in
            do throws(PostgresError) {
                try run(values, body: bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Queues a query. Everything that is queued is answered in one round trip, when the first of it is waited for.
    public func send(_ values: [PostgresValue] = []) throws(PostgresError) -> PostgresTicket {
        let answer = QueryAnswer()
        try connection.queue(text, values, body: nil, answer: answer)
        return PostgresTicket(answer: answer, connection: connection, sql: sql)
    }

    /// Waits for the first row.
    public func first<Result>(
        _ values: [PostgresValue] = [],
        read: (PostgresRow) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result? {
        let rows = try send(values).take()
        guard rows.count > 0 else { return nil }
        let value = try read(rows[0])
        try rows.check()
        return value
    }

    /// Waits for all rows.
    public func all<Result>(
        _ values: [PostgresValue] = [],
        read: (PostgresRow) throws(PostgresError) -> Result
    ) throws(PostgresError) -> [Result] {
        let rows = try send(values).take()
        var values: [Result] = []
        values.reserveCapacity(rows.count)
        for index in 0..<rows.count { values.append(try read(rows[index])) }
        try rows.check()
        return values
    }
}

/// A query that was queued.
public struct PostgresTicket {
    let answer: QueryAnswer
    let connection: PostgresConnection
    let sql: String

    /// Waits, unless its rows have come with those of another one.
    public func take() throws(PostgresError) -> PostgresResult {
        if answer.isPending { try connection.synchronize() }
        return PostgresResult(try answer.take(), sql: sql)
    }
}
