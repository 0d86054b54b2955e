public import Crypto
internal import Support

extension StreamNameVerifier {
    /// Signs with the key of this environment's server: the first of PAYCAST_STREAM_KEYS, else SECRET_KEY_BASE, else that
    /// of `.paycast/`. Nil without one.
    public init?(ofEnvironment environment: [String: String], workspace: Workspace) {
        let key: Key? =
            if let key = Secret.text("PAYCAST_STREAM_KEYS", in: environment).flatMap(firstOfList) {
                .init(text: key)
            } else if let secret = Secret.text("SECRET_KEY_BASE", in: environment) {
                .init(secretKeyBase: secret, with: .sha256)
            } else {
                workspace.streamKey.map { .init(text: $0) }
            }
        self.init(keys: [key].compactMap { $0 })
    }
}
