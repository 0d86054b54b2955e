public import Ledger

/// A statement of one connection. The server prepares it when a session first needs it, in the same round trip.
public final class PostgresStatement {
    private let connection: PostgresConnection
    private let text: StatementText

    init(_ text: StatementText, on connection: PostgresConnection) {
        self.text = text
        self.connection = connection
    }

    public var sql: String { text.sql }

    /// The statement's name, unique within its connection.
    public var name: String { text.name ?? text.sql }

    /// Queues it without reading rows. A failure surfaces at the next wait, at the latest in `commit`.
    public func run(_ values: [Value] = []) throws(EngineError) {
        try connection.queue(text, values, body: nil, answer: nil)
    }

    /// Queues it without reading rows, with `body` as the last parameter, which only libpq copies.
    public func run(_ values: [Value] = [], body: UnsafeRawBufferPointer) throws(EngineError) {
        try connection.queue(text, values, body: body, answer: nil)
    }

    /// Queues a query. Everything that is queued is answered in one round trip, as soon as one result is waited for.
    public func send(_ values: [Value] = []) throws(EngineError) -> PostgresAnswer {
        let answer = PostgresAnswer(to: sql, on: connection)
        try connection.queue(text, values, body: nil, answer: answer)
        return answer
    }

    /// Waits for the first row.
    public func first<Result>(
        _ values: [Value] = [],
        read: (PostgresRow) throws(EngineError) -> Result
    ) throws(EngineError) -> Result? {
        let rows = try send(values).take()
        guard rows.count > 0 else { return nil }
        let value = try read(rows[0])
        try rows.check()
        return value
    }

    /// Waits for all rows.
    public func all<Result>(
        _ values: [Value] = [],
        read: (PostgresRow) throws(EngineError) -> Result
    ) throws(EngineError) -> [Result] {
        let rows = try send(values).take()
        var values: [Result] = []
        values.reserveCapacity(rows.count)
        for index in 0..<rows.count { values.append(try read(rows[index])) }
        try rows.check()
        return values
    }
}
