internal import LedgerInterface
internal import LedgerSQL
internal import Observability

/// A ledger that loses its name, or its journal's, while the server runs.
extension WriterLoop {
    func rescue() {
        guard health.contentIsSound else { return }
        do throws(EngineError) {
            switch try repository.rescue() {
            case .nothing, .inPlace: break
            case .copied(let file):
                log.error(
                    "ledger rescued",
                    fields: ["file": file, "todo": "stop the server, then: paycast restore \(file)"]
                )
            case .failed(let reason): log.error("ledger not rescued", fields: ["problem": reason])
            }
        } catch {
            log.error("ledger not rescued", fields: ["problem": error])
        }
    }
}
