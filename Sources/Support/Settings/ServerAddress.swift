import Glibc

/// The addresses at which a server can be reached: by itself, and by others.
public struct ServerAddress {
    /// For the parts that talk to this server: loopback if it listens on all addresses.
    public let own: String
    /// For people: an address that another device can open, if the server listens for other devices. Nobody outside a
    /// container knows the container's own address: there, its port is published at the machine's.
    public let shown: String

    public init(bind: String, port: Int, isSecure: Bool, isInContainer: Bool = false) {
        let scheme = isSecure ? "https" : "http"
        func address(_ host: String) -> String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
        switch bind {
        case "0.0.0.0":
            own = address("127.0.0.1")
            let outgoing = isInContainer ? "localhost" : outgoingAddress(towards: "192.0.2.1")
            shown = address(outgoing ?? "127.0.0.1")
        case "::":
            own = address("::1")
            let outgoing = isInContainer ? "localhost" : outgoingAddress(towards: "2001:db8::1")
            shown = address(outgoing ?? outgoingAddress(towards: "192.0.2.1") ?? "::1")
        default:
            own = address(bind)
            shown = own
        }
    }
}

/// Whether this is the environment of a container: our image sets `container`, as Podman and systemd do in each
/// (https://systemd.io/CONTAINER_INTERFACE/). Any text says so.
public func isContainer(_ environment: [String: String]) -> Bool { environment["container"]?.isEmpty == false }

/// The address that this machine would send from to reach `target`, as the system's routes choose it; nil without a
/// route. Nothing is sent: connecting a datagram socket only looks up the route. The targets are reserved for
/// documentation (RFC 5737, RFC 3849), so that the default route applies.
private func outgoingAddress(towards target: String) -> String? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(target, "9", &hints, &found) == 0, let info = found?.pointee else { return nil }
    defer { freeaddrinfo(found) }
    let descriptor = socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 else { return nil }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
            guard getsockname(descriptor, address, &length) == 0 else { return -1 }
            return getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
    }
    return status == 0 ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
}
