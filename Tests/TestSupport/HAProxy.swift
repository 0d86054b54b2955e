import Glibc

/// A real HAProxy that hands connections to servers in turn, and notices within a moment when one is gone.
public final class HAProxy: Sendable {
    private static let program = "/usr/sbin/haproxy"
    public static let isInstalled = access(program, X_OK) == 0

    private let reserved = ReservedPort()
    private let folder = TemporaryFolder()
    private let process: RunningProcess

    public init(toPorts targets: [Int]) throws {
        let servers = targets.map { "    server node\($0) 127.0.0.1:\($0) check inter 100ms fall 1 rise 1" }
        let configuration = """
            defaults
                mode http
                timeout connect 2s
                timeout check 10s
                timeout client 60s
                timeout server 60s
                retries 5
                option redispatch 1
                retry-on conn-failure empty-response
            frontend door
                bind 127.0.0.1:\(reserved.number)
                default_backend nodes
            backend nodes
                balance roundrobin
                option httpchk GET /up
            \(servers.joined(separator: "\n"))

            """
        let file = folder.write(configuration, to: "haproxy.cfg")
        let process = RunningProcess(HAProxy.program, arguments: ["-db", "-f", file], folder: folder.path)
        self.process = process
        let port = reserved.number
        try Deadline(.seconds(60)).wait(for: "HAProxy: \(process.errors)") { (try? RawSocket(port: port)) != nil }
    }

    public var port: Int { reserved.number }
}
