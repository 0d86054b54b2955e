internal import Ledger

/// The target's record of the copy: one row, in a table that exists until the copy has been checked.
struct CopyRecord: Equatable {
    /// The source's name.
    var source: String
    /// The source's stamp when the copy began.
    var stamp: String
    var epoch: String
    /// Names the run that writes. An earlier run that finds another name ends.
    var run: String
    /// False once a check has found a difference.
    var isSound: Bool
    var rows: Int64

    private static let table = UnfinishedCopy.table

    static func read(from target: any CopySide) throws(CopyError) -> CopyRecord? {
        guard try target.isUnfinishedCopy() else { return nil }
        return try target.reading { () throws(EngineError) in
            let sql = "SELECT source, stamp, epoch, run, sound, copied FROM \(table)"
            let row = try target.rows(sql, [], as: [.text, .text, .text, .text, .integer, .integer]).first
            return row.map { row in
                CopyRecord(
                    source: row[0].word,
                    stamp: row[1].word,
                    epoch: row[2].word,
                    run: row[3].word,
                    isSound: row[4].number == 1,
                    rows: row[5].number
                )
            }
        }
    }

    /// Replaces any earlier record.
    func write(to target: any CopySide) throws(EngineError) {
        let create = """
            CREATE TABLE IF NOT EXISTS \(CopyRecord.table) (
                source TEXT NOT NULL, stamp TEXT NOT NULL, epoch TEXT NOT NULL, run TEXT NOT NULL,
                sound BIGINT NOT NULL, copied BIGINT NOT NULL
            )
            """
        try target.run(create, [])
        try target.run("DELETE FROM \(CopyRecord.table)", [])
        let values: [Value] = [
            .text(source), .text(stamp), .text(epoch), .text(run), .integer(isSound ? 1 : 0), .integer(rows),
        ]
        let sql = "INSERT INTO \(CopyRecord.table) (source, stamp, epoch, run, sound, copied) VALUES (?, ?, ?, ?, ?, ?)"
        try target.run(sql, values)
    }

    /// False when another run has begun to write.
    func update(in target: any CopySide) throws(EngineError) -> Bool {
        let sql = "UPDATE \(CopyRecord.table) SET sound = ?, copied = ? WHERE run = ? RETURNING 1"
        return try target.number(sql, [.integer(isSound ? 1 : 0), .integer(rows), .text(run)]) == 1
    }

    static func drop(from target: any CopySide) throws(EngineError) {
        try target.run("DROP TABLE \(table)", [])
    }
}
