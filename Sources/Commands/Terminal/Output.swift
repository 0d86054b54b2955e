import Domain
import Glibc

/// Prints one line, which may hold text of others.
public func printText(_ line: String) { printAsIs(plain(line)) }

/// In a column of `width`; a text that is longer has `gap` spaces after it.
public func padded(_ text: String, to width: Int, gap: Int = 0) -> String {
    plain(text) + String(repeating: " ", count: max(gap, width - text.count))
}

/// Prints a name and its value a line, the values in one column.
public func printColumns(_ lines: [(String, String)]) {
    let width = lines.map { $0.0.count }.max() ?? 0
    for (name, value) in lines { printText(padded(name, to: width + 2) + value) }
}

/// Prints JSON of others: what would steer a terminal is escaped, which changes no value (RFC 8259, section 7).
public func printJSON(_ bytes: [UInt8]) {
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    var text = ""
    for scalar in scalars {
        if scalar.steersTerminal, scalar != "\n" {
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        } else {
            text.unicodeScalars.append(scalar)
        }
    }
    printAsIs(text)
}

/// Prints text of our own, or lines whose parts are plain already. It is written at once, so that a reader gets it
/// immediately. Exits the program if no one reads anymore, or if stdout takes nothing.
public func printAsIs(_ text: String) {
    guard !write(text + "\n", to: STDOUT_FILENO) else { return }
    let reason = errno
    if reason == EPIPE { exit(EXIT_SUCCESS) }
    printError("paycast: stdout cannot be written (\(String(cString: strerror(reason)))), so the output is lost")
    exit(EXIT_FAILURE)
}

/// Prints one line, which may hold text of others.
public func printError(_ line: String) {
    _ = write(plain(line) + "\n", to: STDERR_FILENO)
}

/// Exits the program if the reader of stdout has gone, for commands that wait and would only notice with their next line. The
/// code is that of SIGPIPE if something is still `awaited`, as a shell shows it: a script must not take it for success.
public func leaveIfNobodyReads(awaited: Bool) {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    guard poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
    exit(awaited ? 128 + SIGPIPE : EXIT_SUCCESS)
}

/// Keeps the first sockets and files from the numbers of streams that the caller has closed: what is printed would go there.
/// Writing to the stand-in fails as writing to the closed one does.
public func reserveStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

/// Whether stdout is a terminal whose user wants color (https://no-color.org).
public func isColourful(environment: [String: String]) -> Bool {
    isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
}

/// Reads all of stdin, for values given as `-`; at most 1 MiB.
public func readStandardInput() throws(CommandFailure) -> String {
    guard let bytes = readBytes(of: STDIN_FILENO, atMost: 1 << 20) else { throw CommandFailure("stdin cannot be read") }
    guard bytes.count <= 1 << 20 else { throw CommandFailure("stdin holds more than 1 MiB") }
    return String(decoding: bytes, as: UTF8.self)
}

/// What comes next, up to 64 KiB; nothing at the end. Nil, with errno, if it cannot be read.
func readSome(of descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    var count = read(descriptor, &bytes, bytes.count)
    while count < 0, errno == EINTR { count = read(descriptor, &bytes, bytes.count) }
    guard count >= 0 else { return nil }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// More than `limit` if there is more. Nil, with errno, if it cannot be read.
public func readBytes(of descriptor: Int32, atMost limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= limit {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 { return nil }
        if count == 0 { break }
        bytes += chunk.prefix(count)
    }
    return bytes
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
