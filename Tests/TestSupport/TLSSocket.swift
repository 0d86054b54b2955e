import Glibc

/// The far end of a TLS connection that `openssl s_client` makes: what is sent to `socket` goes out encrypted.
public final class TLSSocket {
    public let socket: RawSocket
    private let process: pid_t

    /// Certificates are not checked. `options` are those of s_client, such as `-alpn h2`.
    public init(port: Int, options: [String] = [], timeout: Duration = .seconds(30)) {
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "socketpair: \(errno)")
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let arguments = ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)"] + options
        process = spawn("openssl", arguments, [:], "/", [pair[1], pair[1], silence])
        close(pair[1])
        close(silence)
        socket = RawSocket(adopting: pair[0], timeout: timeout)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}
