import Crypto
import Glibc

/// The work that no server can avoid when it verifies Apple's notifications: three P-256 signatures, for the document,
/// its transaction and its renewal. The certificate chain is the same for all of them.
enum Verification {
    private static let rounds = 2000

    /// Microseconds of CPU time for three verifications on this thread.
    static func cost() throws -> Double {
        let key = try PrivateKey.generate(.p256)
        let message = [UInt8](repeating: 0x61, count: 3000)
        let signature = try key.signature(for: message)
        guard let verifier = key.publicKey else { throw BenchmarkError.notStarted("no P-256 key") }
        let start = threadTime()
        for _ in 0..<rounds where !verifier.isValid(signature, for: message[...]) {
            throw BenchmarkError.notStarted("a signature that does not verify")
        }
        return 3 * (threadTime() - start) / Double(rounds)
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
