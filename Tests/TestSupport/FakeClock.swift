import Glibc

/// Another time of day for one process, by Debian's libfaketime, which answers for the kernel.
public enum FakeClock {
    private static let library = ["x86_64", "aarch64"]
        .map { machine -> String in "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { path in access(path, R_OK) == 0 }

    public static var isInstalled: Bool { library != nil }

    /// `offset`: such as `+5m`. Durations are measured as before.
    public static func environment(_ offset: String) -> [String: String] {
        ["LD_PRELOAD": library ?? "", "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"]
    }
}
