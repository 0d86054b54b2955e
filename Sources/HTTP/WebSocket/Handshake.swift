import Crypto
import Encoding

/// The server's part of the opening handshake (RFC 6455 §4.2.2).
public enum Handshake {
    /// The only version that has ever been standardized.
    public static let version = "13"

    /// The value that proves that a server has read the client's key. Nil when the key is not 16 bytes in Base64.
    public static func accept(key: ArraySlice<UInt8>) -> String? {
        guard key.count == 24, Base64.decode(Array(key))?.count == 16 else { return nil }
        return Base64.encode(HashFunction.sha1.hash(key + identifier))
    }

    private static let identifier = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
}
