internal import COpenSSL

extension VerifiedChain {
    /// A certificate that stands for itself, as Xcode's does. Anybody can make one, so it proves no more than that
    /// everything under it was signed with one key, and its dates prove nothing at all.
    public init(selfSigned der: [UInt8]) throws(ChainError) {
        guard let certificate = Certificate(der: der) else { throw .unreadable }
        defer { ERR_clear_error() }
        guard let key = certificate.publicKey, certificate.handle.borrow({ X509_self_signed($0, 1) }) == 1 else {
            throw .wrongShape
        }
        self.init(key: key, validity: .min ... .max)
    }
}
