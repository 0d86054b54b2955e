public import Crypto
import Encoding

/// Signs documents as Apple does: ES256, with the three certificates in the header.
public struct AppStoreSigner: Sendable {
    private let header: [UInt8]
    private let key: PrivateKey

    /// `chain` is leaf, intermediate and root in DER; `key` is the leaf's.
    public init(chain: [[UInt8]], key: PrivateKey) {
        let certificates = chain.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        header = Array(#"{"alg":"ES256","x5c":[\#(certificates)]}"#.utf8)
        self.key = key
    }

    /// A compact JWS over `payload`. Tests pass another `header` to send a wrong one.
    public func sign(_ payload: [UInt8], header: [UInt8]? = nil) throws(CryptoError) -> String {
        let signed = Base64URL.encode(header ?? self.header) + "." + Base64URL.encode(payload)
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }
}
