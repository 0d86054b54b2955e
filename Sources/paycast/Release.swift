import Commands
import Ledger
import Server

/// Says that the server on this ledger is the one that acts outwards.
struct Release: Command {
    static let name = "release"
    static let summary = "let a restored, copied or moved ledger act outwards"
    static let help = """
        Let the server on a restored, copied or moved ledger act outwards.

        Usage: paycast release [OPTIONS]

        A ledger knows where it was served. In any other place, and after a restore
        or a copy, “serve” commits what comes in and changes pages, but keeps back
        messages to the backend, forwards, and what stores are to be told: the
        original may still run. This command says that the server here is the one
        that acts from now on. A server that runs sends within seconds what has
        waited; otherwise the next one does that starts on this ledger.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast release --database sqlite:/var/lib/paycast/paycast.db
        """

    private let database: DatabaseURL

    init(_ arguments: inout Arguments) throws(UsageError) {
        database = try DatabaseURL(&arguments)
    }

    func run() throws -> Int32 {
        try database.release()
        printText("the ledger is released: the server that runs on it, or the next one, sends what has waited")
        return 0
    }
}
