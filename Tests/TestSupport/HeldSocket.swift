import Glibc

/// A socket that this process holds for servers, one after the other, as systemd does (sd_listen_fds(3)): while none runs,
/// connections wait in its queue.
public final class HeldSocket: Sendable {
    public let port: Int
    public let descriptor: Int32

    public init(isListening: Bool = true) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = bindToAnyPort(opened)
        // Above the descriptors that a program gets, none of which may overwrite it before it is copied.
        descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 16)
        close(opened)
        if isListening { precondition(listen(descriptor, 1024) == 0, "listen: \(errno)") }
    }

    deinit {
        close(descriptor)
    }
}

extension PaycastProgram {
    /// Starts `paycast` with sockets as descriptors 3 and so on. Only the program itself can know its number, so a shell says
    /// it, unless `environment` does.
    public static func start(
        _ arguments: [String],
        inheriting sockets: [HeldSocket],
        program: String = path,
        environment: [String: String] = [:],
        folder: String = "/tmp"
    ) -> RunningProcess {
        guard !sockets.isEmpty else {
            return start(arguments, program: program, environment: environment, folder: folder)
        }
        return RunningProcess(
            "/bin/sh",
            arguments: ["-c", "export LISTEN_PID=${LISTEN_PID-$$}; exec \"$@\"", "sh", program] + arguments,
            environment: ["LISTEN_FDS": "\(sockets.count)"].merging(environment) { $1 },
            folder: folder,
            passing: sockets.map(\.descriptor)
        )
    }
}
