import Domain
public import Gateway
import Glibc
import Support

/// The sockets that whoever started this process holds for it, by the names that sd_listen_fds(3) gives them.
public struct InheritedSockets: Sendable {
    /// `paycast`: the server's own address.
    public var own: InheritedSocket?
    /// `console`: the console's.
    public var console: InheritedSocket?

    /// The first descriptor that is passed: `SD_LISTEN_FDS_START`.
    fileprivate static let first: Int32 = 3
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// The names of those that were passed.
    var names: [String] { [own.map { _ in "paycast" }, console.map { _ in "console" }].compactMap(\.self) }

    /// No program that this process starts takes them for its own.
    public func hide() {
        for name in InheritedSockets.variables { unsetenv(name) }
        for socket in [own, console] { socket?.passOn(false) }
    }

    /// The program that takes this one's place, in the same process, gets them as this one did, with what its `environment`
    /// said of them.
    public func passOn(_ environment: [String: String]) {
        guard !names.isEmpty else { return }
        for name in InheritedSockets.variables {
            if let value = environment[name] { setenv(name, value, 1) }
        }
        for socket in [own, console] { socket?.passOn(true) }
    }
}

extension SettingsReader {
    /// `LISTEN_FDS`, `LISTEN_PID` and `LISTEN_FDNAMES`.
    mutating func inheritedSockets() -> InheritedSockets {
        var sockets = InheritedSockets()
        let owner = given("LISTEN_PID")?.value
        let given = given("LISTEN_FDNAMES")?.value
        let count = number("LISTEN_FDS", default: 0, in: 0...2)
        guard count > 0 else { return sockets }
        guard owner == "\(getpid())" else {
            let fault = owner.map { "\(quoted($0)) is not this process, \(getpid())" }
            let todo = "start paycast with exec, or unset LISTEN_FDS"
            reject("LISTEN_PID", because: "\(fault ?? "is missing beside LISTEN_FDS"): \(todo)")
            return sockets
        }
        // A single socket needs no name.
        let names = given?.split(separator: ":", omittingEmptySubsequences: false) ?? (count == 1 ? ["paycast"] : [])
        guard names.count == count else {
            reject(
                "LISTEN_FDNAMES",
                because: "names \(names.count) of \(count) sockets: give each its FileDescriptorName=, paycast or "
                    + "console"
            )
            return sockets
        }
        for (number, name) in names.enumerated() {
            take(InheritedSockets.first + Int32(number), named: name, into: &sockets)
        }
        return sockets
    }

    private mutating func take(_ descriptor: Int32, named name: Substring, into sockets: inout InheritedSockets) {
        guard let socket = InheritedSocket(descriptor) else {
            return reject(
                "LISTEN_FDS",
                because: "descriptor \(descriptor) is not a TCP socket that listens, such as one of "
                    + "ListenStream=127.0.0.1:8080"
            )
        }
        switch name {
        case "paycast" where sockets.own == nil: sockets.own = socket
        case "console" where sockets.console == nil: sockets.console = socket
        case "paycast", "console":
            reject("LISTEN_FDNAMES", because: "two sockets are named \(name): keep one ListenStream=")
        default:
            reject(
                "LISTEN_FDNAMES",
                because: "\(quoted(String(name))) is neither paycast nor console: set FileDescriptorName= in the "
                    + "socket's unit"
            )
        }
    }

    /// A setting names another address than that of the socket.
    mutating func reject(_ given: Given, for socket: InheritedSocket) {
        let host = socket.address.contains(":") ? "[\(socket.address)]" : socket.address
        reject(
            given.name,
            because: "\(quoted(given.value)) is not where the socket of LISTEN_FDS listens, \(host):\(socket.port), "
                + "which would win: remove \(given.name), or change ListenStream="
        )
    }
}
