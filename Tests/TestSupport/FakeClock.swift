import Glibc

/// Another time of day for one process, by Debian's libfaketime, which answers for the kernel.
public enum FakeClock {
    private static let library = ["x86_64", "aarch64"]
        .map { machine -> String in "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { path in access(path, R_OK) == 0 }

    public static var isInstalled: Bool { library != nil }

    /// `offset`: such as `+5m`. Durations are measured as before.
    public static func environment(_ offset: String) -> [String: String] {
        base.merging(["FAKETIME": offset]) { $1 }
    }

    /// The offset is what the file says, from a second after it is written.
    public static func environment(file: String) -> [String: String] {
        base.merging(["FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_CACHE_DURATION": "1"]) { $1 }
    }

    /// Debian's library would otherwise let every wait for a condition end at once, and the ledger's threads look as if they
    /// stood still.
    private static let base = [
        "LD_PRELOAD": library ?? "", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    ]
}
