import Domain
import FoundationEssentials
import Stores

/// A command: the first word after `paycast`.
public protocol Command {
    static var name: String { get }
    /// For the list of all commands.
    static var summary: String { get }
    /// 80 columns wide. What is an option of the command is a line of it: `Arguments` refuses any other, and the completions
    /// of shells are made of them.
    static var help: String { get }

    /// Takes the arguments that it knows; the caller rejects the rest.
    init(_ arguments: inout Arguments) throws(UsageError)

    /// Returns the exit code. Every error is safe to print, and says what to do.
    func run() throws -> Int32
}

extension Command {
    /// Each `--name` of the help, and whether it takes a value.
    public static var options: [(name: String, takesValue: Bool)] {
        help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { line in
            let words = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false)
            // A value follows the name after one space; the description starts in its own column.
            return (name: String(words[0]), takesValue: words.count > 1 && words[1].first?.isUppercase == true)
        }
    }
}

/// Why a command could not do its work: one line that says what to do.
public struct CommandFailure: Error, Equatable, CustomStringConvertible {
    public static let exitCode: Int32 = 1

    public var message: String
    public var description: String { message }

    public init(_ message: String) {
        self.message = message
    }
}

/// The environment that the program was started with.
public func processEnvironment() -> [String: String] { ProcessInfo.processInfo.environment }

/// The stores in words: `apple, google … or purchasekit`.
public let sellerNames = {
    let names = Stores.sellers.map { $0.provider.rawValue }
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
}()
