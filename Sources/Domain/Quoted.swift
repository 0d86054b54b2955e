/// What somebody typed, or set, as an error shows it: in quotes, on one line, at most 80 characters of it.
public func quoted(_ text: String) -> String {
    let plain = text.prefix(80).unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
    return "“\(plain.joined())”"
}
