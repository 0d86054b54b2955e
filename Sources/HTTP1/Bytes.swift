let carriageReturn: UInt8 = 13
let lineFeed: UInt8 = 10
let space: UInt8 = 32

func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == 9 }

func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

/// What methods and names of fields consist of (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
    byte < 128 && (byte < 64 ? tokenBytes.low >> UInt64(byte) : tokenBytes.high >> UInt64(byte & 63)) & 1 == 1
}

/// What values of fields consist of: visible characters, white space, and bytes beyond ASCII (RFC 9110 §5.5).
func isFieldByte(_ byte: UInt8) -> Bool { byte >= 32 && byte != 127 || byte == 9 }

/// A bit for each of them: digits, letters, and ``!#$%&'*+-.^_`|~``. Looked at for each byte of a name.
private let tokenBytes: (low: UInt64, high: UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)

extension ArraySlice<UInt8> {
    /// Without the white space around it.
    var trimmed: ArraySlice<UInt8> {
        let start = drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
        return start[...end]
    }

    /// The same without case. `token` is in lower case.
    func isSameToken(as token: String) -> Bool {
        count == token.utf8.count
            && zip(self, token.utf8).allSatisfy { $0 == $1 || (65...90).contains($0) && $0 | 0x20 == $1 }
    }
}
