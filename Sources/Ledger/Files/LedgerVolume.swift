import Domain
import Glibc
import Support

/// Where a container keeps its ledger.
public enum LedgerVolume: Equatable, Sendable {
    /// A volume with a name, or a folder of the machine's.
    case kept
    /// The container's own files, which go with it.
    case container
    /// A volume that the engine has made for this container alone: the next container gets another.
    case nameless
    case memory

    /// The place of the ledger at `path`; nil if its folder does not exist.
    public init?(ofLedgerAt path: String) {
        guard let folder = realpath(LedgerFile.folder(of: path), nil) else { return nil }
        defer { free(folder) }
        guard let mounts = try? SmallFile.read("/proc/self/mountinfo") else { return nil }
        self.init(of: String(cString: folder), mounts: String(decoding: mounts, as: UTF8.self))
    }

    /// `mounts` are those of proc_pid_mountinfo(5), the newest last: number, parent, device, what of the file system is mounted,
    /// where, options, any more of them, a dash, and the kind of the file system.
    init?(of folder: String, mounts: String) {
        let mount = mounts.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count > 8 && LedgerVolume.contains(folder, place: LedgerVolume.unescaped($0[4])) }
            .enumerated().max { ($0.element[4].utf8.count, $0.offset) < ($1.element[4].utf8.count, $1.offset) }?.element
        guard let mount, let dash = mount.dropFirst(6).firstIndex(of: "-"), dash + 1 < mount.endIndex else {
            return nil
        }
        if mount[4] == "/" {
            self = .container
        } else if ["tmpfs", "ramfs"].contains(mount[dash + 1]) {
            self = .memory
        } else {
            // Docker, Podman and containerd name such a volume by 64 hexadecimal digits.
            self = mount[3].split(separator: "/").contains(where: LedgerVolume.isDigest) ? .nameless : .kept
        }
    }

    /// What is lost, and what to do; nil if nothing is.
    public var loss: String? {
        let todo = "is lost with it: mount a volume with a name, such as -v paycast:/var/lib/paycast"
        switch self {
        case .kept: return nil
        case .container: return "the ledger lies in the container and \(todo)"
        case .nameless: return "the ledger lies on a volume of this container alone and \(todo)"
        case .memory: return "the ledger lies in the container's memory and \(todo)"
        }
    }

    private static func contains(_ folder: String, place: String) -> Bool {
        place == "/" || folder.hasSameBytes(as: place) || folder.utf8.starts(with: "\(place)/".utf8)
    }

    /// A blank is written as \040.
    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("\\040", with: " ").replacing("\\134", with: "\\")
    }

    private static func isDigest(_ text: Substring) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
