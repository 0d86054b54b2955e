let carriageReturn: UInt8 = 13
let lineFeed: UInt8 = 10
let space: UInt8 = 32

func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == 9 }

func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (65...70).contains(byte) || (97...102).contains(byte) }

/// Methods and field names consist of these bytes (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes.contains(byte) }

/// Field values consist of these bytes: visible characters, white space, and bytes beyond ASCII (RFC 9110 §5.5).
func isFieldByte(_ byte: UInt8) -> Bool { byte >= 32 && byte != 127 || byte == 9 }

/// A set of ASCII bytes, one bit for each, so that checking a byte of a name costs one lookup.
struct ByteSet {
    let low: UInt64
    let high: UInt64

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte & 63)) & 1 == 1
    }
}

/// Digits, letters, and ``!#$%&'*+-.^_`|~``.
private let tokenBytes = ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)

extension ArraySlice<UInt8> {
    /// The bytes without the white space around them.
    var trimmed: ArraySlice<UInt8> {
        let start = drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
        return start[...end]
    }

    /// Compares without regard to case. `token` is in lower case.
    func isSameToken(as token: StaticString) -> Bool {
        guard count == token.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let byte = self[startIndex + index]
            let expected = token.utf8Start[index]
            guard byte == expected || (65...90).contains(byte) && byte | 0x20 == expected else { return false }
        }
        return true
    }

    /// Compares byte by byte.
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[startIndex + index] != text.utf8Start[index] { return false }
        return true
    }
}
