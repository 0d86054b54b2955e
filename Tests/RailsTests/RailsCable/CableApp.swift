import Glibc
import TestSupport
import Testing

/// A process that holds a database open, as a Rails app does, and runs SQL on it. In SQLite, a process never notices its
/// own locks.
final class CableApp {
    private static let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1], isolation_level=None)
        with open(sys.argv[2], 'rb', buffering=0) as orders:
            for number, order in enumerate(iter(orders.readline, b'')):
                statement = ''
                for part in bytes.fromhex(order.decode()).decode('utf-8').split(';')[:-1]:
                    statement += part + ';'
                    if sqlite3.complete_statement(statement):
                        database.execute(statement)
                        statement = ''
                print('done', number, flush=True)
        """
    private let process: RunningProcess
    private let orders: Int32
    private var count = 0
    private var hasQuit = false

    init(_ file: String, in folder: TemporaryFolder) throws {
        let pipe = folder.path + "/orders\(UInt32.random(in: 0 ... .max))"
        try #require(mkfifo(pipe, 0o600) == 0)
        process = RunningProcess("python3", arguments: ["-c", Self.script, file, pipe])
        orders = open(pipe, O_WRONLY | O_CLOEXEC)
        try #require(orders >= 0)
    }

    deinit { quit() }

    func run(_ sql: String) throws {
        let line = Array(sql.utf8).flatMap { [hexadecimal($0 >> 4), hexadecimal($0 & 15)] } + [UInt8(ascii: "\n")]
        try #require(write(orders, line, line.count) == line.count)
        let answer = "done \(count)"
        count += 1
        _ = try process.line { $0 == answer }
    }

    /// Closes the database.
    func quit() {
        guard !hasQuit else { return }
        hasQuit = true
        close(orders)
        _ = try? process.waitForExit()
    }

    func kill() {
        process.send(.kill)
        quit()
    }

    private func hexadecimal(_ digit: UInt8) -> UInt8 { Array("0123456789abcdef".utf8)[Int(digit)] }
}
