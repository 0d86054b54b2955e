internal import Domain
internal import Glibc
internal import HTTPClient

/// The `http` or `https` form of an address that a page uses, without a trailing slash.
func pageAddress(_ text: String, of option: String) throws(UsageError) -> String {
    let isWebSocket = ["ws://", "wss://"].contains { text.hasPrefix($0) }
    let address = isWebSocket ? "http" + text.dropFirst(2) : text
    guard let url = try? RequestURL(address), !url.path.contains("?") else {
        throw UsageError("\(option) must be an address such as wss://pay.example.com, not \(quoted(text))")
    }
    return address.hasSuffix("/") ? String(address.dropLast()) : address
}

/// A file of certificates that an option names; a client would only say later that it trusts nobody.
func readableFile(_ arguments: inout Arguments, _ option: String) throws(UsageError) -> String? {
    guard let file = try arguments.option(option) else { return nil }
    guard access(file, R_OK) == 0 else { throw UsageError("\(option): \(quoted(file)) cannot be read") }
    return file
}
