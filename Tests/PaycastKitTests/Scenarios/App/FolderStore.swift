internal import Foundation
internal import PaycastKit

/// A store whose memory is a folder, so that it outlives the app: what was paid lies in `open/` until it is finished, what a
/// payment sheet will bring in `sheet/`, and what comes from outside in `updates/`.
struct FolderStore: Store {
    let folder: URL
    /// How long a sheet is up: taps that come meanwhile are taps on the same purchase.
    let sheetTime: Duration

    func products(_ ids: [String]) throws(PurchaseError) -> [StoreProduct] {
        ids.map { StoreProduct(id: $0, name: $0, displayPrice: "€ 1,00") }
    }

    /// Without a file for the product, the user cancels; an empty one means that somebody has to approve.
    func purchase(_ product: String, token: UUID, offer: PurchaseOffer?) async throws(PurchaseError) -> StoreOutcome {
        note(product, in: "sheets.log")
        // The buyer looks at the sheet: a scenario kills the app meanwhile.
        try? await Task.sleep(for: sheetTime)
        let sheet = folder.appendingPathComponent("sheet/\(product).json")
        guard let bytes = try? Data(contentsOf: sheet) else { return .cancelled }
        guard let transaction = try? JSONDecoder().decode(SignedTransaction.self, from: bytes) else { return .pending }
        // From here on it is paid, whatever becomes of the app.
        try? FileManager.default.moveItem(at: sheet, to: folder.appendingPathComponent("open/\(transaction.id).json"))
        return .bought(transaction)
    }

    func updates() -> AsyncStream<StoreUpdate> {
        AsyncStream { continuation in
            for transaction in transactions(in: "updates") { continuation.yield(.signed(transaction)) }
        }
    }

    func unfinished() -> [SignedTransaction] { transactions(in: "open") }

    func owned() -> [SignedTransaction] { transactions(in: "owned") }

    func appTransaction() throws(PurchaseError) -> SignedAppTransaction { throw .offline }

    func sync() {}

    func finish(_ transaction: UInt64) {
        note(String(transaction), in: "finished.log")
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("open/\(transaction).json"))
    }

    func showManageSubscriptions() {}

    func redeemOfferCode() {}

    func requestRefund(of product: String) -> RefundRequest { .cancelled }

    private func transactions(in part: String) -> [SignedTransaction] {
        names(in: part).sorted().compactMap { name in
            let bytes = try? Data(contentsOf: folder.appendingPathComponent("\(part)/\(name)"))
            return bytes.flatMap { try? JSONDecoder().decode(SignedTransaction.self, from: $0) }
        }
    }

    private func names(in part: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(part).path)) ?? []
    }

    /// Appends a line, which is one write and so whole.
    func note(_ line: String, in log: String) {
        guard let file = fopen(folder.appendingPathComponent(log).path, "a") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }
}

/// Counts actions, and ends the process without a word before the one of its limit.
///
/// The lock guards the count.
final class Countdown: @unchecked Sendable {
    private let lock = NSLock()
    private let limit: Int?
    private var count = 0

    init(_ limit: Int?) {
        self.limit = limit
    }

    var passed: Int { lock.withLock { count } }

    func tick() {
        lock.withLock {
            if count == limit { kill(getpid(), SIGKILL) }
            count += 1
        }
    }
}
