extension AppleChainVerifier {
    /// The genuine chains that were verified, by the digest of their certificates. A new one takes the place of the
    /// oldest when the memory is full.
    struct Memory {
        private let capacity: Int
        private var chains: [[UInt8]: VerifiedChain] = [:]
        private var oldestFirst: [[UInt8]] = []

        init(capacity: Int) {
            self.capacity = capacity
        }

        var count: Int { chains.count }

        subscript(key: [UInt8]) -> VerifiedChain? { chains[key] }

        mutating func add(_ chain: VerifiedChain, under key: [UInt8]) {
            guard chains.updateValue(chain, forKey: key) == nil else { return }
            oldestFirst.append(key)
            if oldestFirst.count > capacity { chains[oldestFirst.removeFirst()] = nil }
        }
    }
}
