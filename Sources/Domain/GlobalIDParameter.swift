/// Ruby's `CGI.escape`.
func formEscaped(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF")
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: result.unicodeScalars.append(Unicode.Scalar(byte))
        case 32: result.append("+")
        default: result += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
        }
    }
    return result
}

/// Ruby's `CGI.unescape`; nil for a broken escape.
func formUnescaped(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte == UInt8(ascii: "+") ? 32 : byte)
            continue
        }
        let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        rest = rest.dropFirst(2)
        guard digits.count == 2 else { return nil }
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
    }
    return String(validating: bytes, as: UTF8.self)
}

/// What a parameter names; nil when it is no Base64 of a text.
func globalID(_ parameter: String) -> String? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in parameter.utf8 {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        bits = (bits << 6 | UInt32(value)) & 0xFFFF
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return String(validating: bytes, as: UTF8.self)
}

/// URL-safe Base64 without padding (RFC 4648 §5).
func globalIDParameter(_ uri: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var result = ""
    var bits: UInt32 = 0
    var count = 0
    for byte in uri.utf8 {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 6 {
            count -= 6
            result.append(alphabet[Int(bits >> UInt32(count) & 63)])
        }
    }
    if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    return result
}
