import CLinux
import Glibc
import Support

/// The process that listens on a port, as far as this user may see it: proc(5) shows the sockets of other users'
/// processes to root alone.
struct PortHolder: Equatable, CustomStringConvertible {
    let process: Int
    /// At most 15 bytes, as the kernel keeps it.
    let name: String

    var description: String { "process \(process) (\(name))" }

    /// `address` is the one that could not be bound. Reads all of /proc, so it is for a start that has failed.
    static func find(at address: UnsafePointer<sockaddr>, port: Int) -> PortHolder? {
        let wanted = hexadecimal(address)
        let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { table in
            text(of: table).split(separator: "\n").dropFirst().compactMap { line in
                inode(of: line, conflictingWith: wanted, port: port)
            }
        }
        guard !inodes.isEmpty else { return nil }
        let sockets = Set(inodes.map { "socket:[\($0)]" })
        let process = names(in: "/proc").lazy.compactMap { Int($0) }.first { process in
            names(in: "/proc/\(process)/fd").contains { sockets.contains(target(of: "/proc/\(process)/fd/\($0)")) }
        }
        return process.map { PortHolder(process: $0, name: printable(text(of: "/proc/\($0)/comm"))) }
    }

    /// A line of /proc/net/tcp: `sl local_address rem_address st … inode`. The kernel lists listening sockets first.
    private static func inode(of line: Substring, conflictingWith wanted: String, port: Int) -> Substring? {
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[3] == "0A" else { return nil }
        let place = fields[1].split(separator: ":")
        guard place.count == 2, Int(place[1], radix: 16) == port else { return nil }
        let bound = String(place[0])
        let isOneForAll = [bound, wanted].contains { address in address.allSatisfy { $0 == "0" } }
        return bound == wanted || isOneForAll ? fields[9] : nil
    }

    /// As /proc/net/tcp writes an address: words of 32 bits in the machine's byte order.
    private static func hexadecimal(_ address: UnsafePointer<sockaddr>) -> String {
        let isIPv6 = address.pointee.sa_family == sa_family_t(AF_INET6)
        let bytes = UnsafeRawPointer(address) + (isIPv6 ? 8 : 4)
        return (0..<(isIPv6 ? 4 : 1)).map { index in
            let word = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
            let digits = String(word, radix: 16, uppercase: true)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func text(of file: String) -> String {
        String(decoding: (try? SmallFile.read(file)) ?? [], as: UTF8.self)
    }

    private static func names(in folder: String) -> [String] { (try? SmallFile.names(in: folder)) ?? [] }

    private static func target(of link: String) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A process chooses its own name.
    private static func printable(_ name: String) -> String {
        String(decoding: name.utf8.filter { $0 != 10 }.map { (32..<127).contains($0) ? $0 : 63 }, as: UTF8.self)
    }
}
