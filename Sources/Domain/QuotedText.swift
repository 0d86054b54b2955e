/// Shows in an error what somebody typed or set: in quotes, on one line, cut off after 80 characters.
public func quoted(_ text: String) -> String {
    let plain = text.prefix(80).unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
    return "“\(plain.joined())”"
}
