let carriageReturn: UInt8 = 13
let lineFeed: UInt8 = 10

func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

/// What methods and names of fields consist of (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes[Int(byte)] }

/// What values of fields consist of: visible characters, white space, and bytes beyond ASCII (RFC 9110 §5.5).
func isFieldByte(_ byte: UInt8) -> Bool { byte >= 32 && byte != 127 || byte == 9 }

private let tokenBytes: [Bool] = (0..<256).map { byte in
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || "!#$%&'*+-.^_`|~".utf8.contains(UInt8(byte))
}

extension ArraySlice<UInt8> {
    /// Without the white space around it.
    var trimmed: ArraySlice<UInt8> {
        let start = drop { $0 == 32 || $0 == 9 }
        guard let end = start.lastIndex(where: { $0 != 32 && $0 != 9 }) else { return start.prefix(0) }
        return start[...end]
    }

    /// The same without case. `token` is in lower case.
    func isSameToken(as token: String) -> Bool {
        count == token.utf8.count
            && zip(self, token.utf8).allSatisfy { $0 == $1 || (65...90).contains($0) && $0 | 0x20 == $1 }
    }
}
