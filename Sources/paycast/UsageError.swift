internal import Domain

/// The command line itself is wrong: exit code 64.
struct UsageError: Error, Equatable {
    var message: String
    /// The command whose help explains it; nil is `paycast` itself.
    var command: String?

    init(_ message: String) {
        self.message = message
    }

    func `in`(_ command: String) -> UsageError {
        var error = self
        error.command = error.command ?? command
        return error
    }
}

/// `. Did you mean X?`, or the list of all names if none is near.
func suggestion(for word: String, among names: [String]) -> String {
    if let name = nearest(to: word, among: names) { return ". Did you mean \(name)?" }
    return names.isEmpty ? "" : ". There is \(names.joined(separator: ", "))"
}
