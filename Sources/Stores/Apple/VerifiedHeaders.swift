internal import Crypto
internal import Glibc
internal import Synchronization

/// The headers of documents that were genuine, by their exact bytes: Apple sends the same 4 KB with every document, and a
/// header that was proven once gives its key without Base64, JSON and certificates.
///
/// Only a valid signature under a proven chain adds one, so nobody but the store can fill it or push anything out of it.
/// It belongs to one set of roots: a reload begins with an empty one. Apple publishes no list of revoked leaves to look
/// at, so what ends a header is its chain's last day, which the reader of a document compares with the document's date. Any
/// thread may use it.
final class VerifiedHeaders: Sendable {
    struct Header: Sendable {
        let text: [UInt8]
        let chain: VerifiedChain
    }

    private let capacity: Int
    /// The last used one first. It is nearly always the one that is asked for, and two headers differ within their first
    /// hundred bytes, where the leaf has its number.
    private let headers = Mutex<[Header]>([])

    init(capacity: Int = 32) {
        self.capacity = capacity
    }

    var count: Int { headers.withLock { $0.count } }

    func find(_ text: ArraySlice<UInt8>) -> Header? {
        headers.withLock { headers in
            guard let index = headers.firstIndex(where: { isSame($0.text, as: text) }) else { return nil }
            let found = headers[index]
            if index > 0 {
                headers.remove(at: index)
                headers.insert(found, at: 0)
            }
            return found
        }
    }

    /// The one that was not used for the longest time makes room.
    func add(_ text: ArraySlice<UInt8>, chain: VerifiedChain) {
        headers.withLock { headers in
            // Another thread may have verified the same header meanwhile.
            guard !headers.contains(where: { isSame($0.text, as: text) }) else { return }
            headers.insert(Header(text: Array(text), chain: chain), at: 0)
            if headers.count > capacity { headers.removeLast() }
        }
    }
}

/// Uses `memcmp`, because comparing 4 KB element by element would take a tenth of the time of a signature.
private func isSame(_ known: [UInt8], as text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBytes { text in
        guard known.count == text.count, let start = text.baseAddress else { return false }
        return memcmp(start, known, known.count) == 0
    }
}
