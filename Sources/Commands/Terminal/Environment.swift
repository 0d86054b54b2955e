@preconcurrency internal import Glibc

/// The environment that the program was started with.
public func processEnvironment() -> [String: String] {
    var result: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
        let text = String(cString: entry)
        next += 1
        guard let equals = text.firstIndex(of: "=") else { continue }
        result[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    return result
}
