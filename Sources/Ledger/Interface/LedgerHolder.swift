/// The server that holds the ledger: `PID ADDRESS` on one line; the address is missing while that server starts.
public struct LedgerHolder: Sendable, Equatable, CustomStringConvertible {
    public var process: Int?
    public var address: String?

    public init(process: Int?, address: String?) {
        self.process = process
        self.address = address
    }

    public init(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        process = words.first.flatMap { Int($0) }
        address = words.dropFirst().first.map(String.init)
    }

    public var text: String { [process.map { "\($0)" }, address].compactMap { $0 }.joined(separator: " ") + "\n" }

    public var description: String {
        let name = process.map { "process \($0)" } ?? "another process"
        return name + (address.map { ", which serves \($0)" } ?? ", which is starting")
    }
}
