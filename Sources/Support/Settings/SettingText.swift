internal import Domain
internal import Glibc

/// The variable that names the file with a secret's value.
public func fileVariable(of variable: String) -> String { variable + "_FILE" }

/// A bundle id or a package name.
public func isAppName(_ text: String) -> Bool {
    isValidIdentifier(text)
        && text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || [45, 46, 95].contains($0)
        }
}

/// A small text file; nil when it cannot be read or is larger than 64 KiB.
public func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: (64 << 10) + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
}

public func commaList(_ text: String) -> [String] {
    text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
}

public func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
}

/// How a problem shows a value that should be a file's path. Keys, certificates and JSON do not begin like a path, so
/// content that was put into the variable by mistake does not reach a log.
public func shownPath(_ value: String) -> String {
    ["/", "./", "../"].contains(where: value.hasPrefix) ? quoted(value) : "its value"
}
