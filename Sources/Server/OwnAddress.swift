internal import Synchronization

/// The address at which this server can be reached; known once it listens.
final class OwnAddress: Sendable {
    private let address = Mutex<String?>(nil)

    var value: String? { address.withLock { $0 } }

    func set(_ address: String) {
        self.address.withLock { $0 = address }
    }
}
