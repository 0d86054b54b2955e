internal import LedgerInterface
internal import Postgres

extension LedgerCopier {
    static func open(source: DatabaseURL) throws(CopyError) -> any CopySide {
        switch source {
        case .sqlite(let path): try SQLiteSide.source(path)
        case .postgres(let url): try PostgresSide.source(address(url, option: "--from"))
        }
    }

    static func open(target: DatabaseURL, from source: any CopySide) throws(CopyError) -> any CopySide {
        switch target {
        case .sqlite(let path):
            if let source = source as? SQLiteSide, source.isFile(path) { throw .sameLedger(path) }
            return try SQLiteSide.target(path)
        case .postgres(let url):
            let target = try PostgresSide.target(address(url, option: "--to"))
            if let source = source as? PostgresSide, try source.identity() == target.identity() {
                throw .sameLedger(target.name)
            }
            return target
        }
    }

    private static func address(_ url: String, option: String) throws(CopyError) -> PostgresURL {
        do throws(PostgresURL.Failure) {
            return try PostgresURL(url)
        } catch {
            throw .unreadableURL("\(option) \(error)")
        }
    }
}
