internal import Domain

/// The command line itself is wrong.
public struct UsageError: Error, Equatable {
    /// `EX_USAGE` of sysexits.h.
    public static let exitCode: Int32 = 64

    public var message: String
    /// The command whose help explains it; nil for `paycast` itself.
    public var command: String?

    public init(_ message: String) {
        self.message = message
    }

    public func `in`(_ command: String) -> UsageError {
        var error = self
        error.command = error.command ?? command
        return error
    }
}

/// `. Did you mean X?`, or the list of all names if no name is similar.
public func suggestion(for word: String, among names: [String]) -> String {
    if let name = nearest(to: word, among: names) { return ". Did you mean \(name)?" }
    return names.isEmpty ? "" : ". Choose one of \(names.joined(separator: ", "))"
}
