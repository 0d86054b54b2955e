internal import Glibc

/// Writes the whole text at once, so that a reader gets it immediately. Exits the program if no one reads anymore.
public func printText(_ text: String) {
    guard !write(text + "\n", to: STDOUT_FILENO) else { return }
    exit(errno == EPIPE ? EXIT_SUCCESS : EXIT_FAILURE)
}

public func printError(_ text: String) {
    _ = write(text + "\n", to: STDERR_FILENO)
}

/// Whether stdout is a terminal whose user wants color (https://no-color.org).
public func isColourful(environment: [String: String]) -> Bool {
    isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
}

/// Reads all of stdin, for values given as `-`; at most 1 MiB.
public func readStandardInput() throws(CommandFailure) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(STDIN_FILENO, &chunk, chunk.count)
        if count < 0 { throw CommandFailure("stdin cannot be read") }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk.prefix(count)
        if bytes.count > 1 << 20 { throw CommandFailure("stdin holds more than 1 MiB") }
    }
}

private func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        if count < 0 { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
