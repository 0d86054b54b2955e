internal import Crypto

/// Decides which roots Apple's documents are verified with.
extension AppleStore {
    /// Apple's own roots, or the configured ones in their place. A development server also trusts its own throw-away
    /// root.
    func roots(_ development: StoreDevelopment?) throws(StoreError) -> TrustedRoots {
        do throws(TrustedRootsError) {
            let roots =
                try rootsPath.map { path throws(TrustedRootsError) in try TrustedRoots.load(from: path) } ?? .apple
            return development?.root.flatMap { TrustedRoots(pem: $0) }.map { roots + $0 } ?? roots
        } catch {
            throw StoreError(error.description)
        }
    }
}
