import Domain
import Gateway
import Glibc
import HTTP
import Pages
import Support
import Synchronization
import TestSupport

/// A real gateway with real sockets, in front of a handler that answers without a ledger.
final class ScriptedGateway {
    /// More than the kernel takes at once.
    static let long = String(repeating: "x", count: 32 << 20)

    let gateway: Gateway
    let metrics = Metrics()
    let ledger = ScriptedLedger()
    private let workers = WorkerPool(name: "answer", threads: 1, capacity: 100)

    /// With a certificate it speaks TLS only. `inheriting`: a socket in place of those of its own.
    init(
        loops: Int = 1,
        certificate: TemporaryCertificate? = nil,
        limits: Limits = Limits(),
        proxies: [IPNetwork] = [],
        tick: Duration = .milliseconds(100),
        inheriting socket: HeldSocket? = nil
    ) throws {
        let address = try socket.flatMap { InheritedSocket($0.descriptor) }.map { try BoundAddress($0, loops: loops) }
        gateway = try Gateway(
            address: try address ?? BoundAddress(address: "127.0.0.1", port: 0, count: loops),
            epoch: "test",
            position: 0,
            stores: StoreRoutes(
                webhooks: [.apple, .google, .stripe, .revenuecat, .purchasekit],
                transactions: [.apple]
            ),
            identity: certificate.map {
                try ServerIdentity(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
            },
            handler: Script(workers: workers, ledger: ledger, metrics: metrics),
            metrics: metrics,
            limits: limits,
            proxies: proxies,
            tick: tick
        )
    }

    deinit {
        workers.close()
        gateway.stop()
    }

    func connect(timeout: Duration = .seconds(30)) throws -> RawSocket {
        try RawSocket(port: gateway.port, timeout: timeout)
    }

    /// How many frames were written to pages that had room for them.
    var deliveries: Int { metrics.deliveries }

    /// Until the metrics say so.
    func waitFor(_ line: String) throws {
        try Deadline(.seconds(60)).wait(for: line) { metrics.page().contains(line + "\n") }
    }

    /// Sends the pieces one by one and returns everything until the server closes.
    func exchange(_ pieces: [String]) throws -> String {
        let socket = try connect()
        for piece in pieces { try socket.send(piece) }
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
}

private struct Script: RequestHandler {
    let workers: WorkerPool
    let ledger: ScriptedLedger
    let metrics: Metrics

    func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict {
        .open(page([parameters.signedStreamName], since: parameters.since))
    }

    func handle(_ request: Request) -> Answer {
        switch request.route {
        case .up: return .respond(Response(status: 200, contentType: "text/plain", body: "up\n"))
        case .broadcasts: return .respond(counted(request))
        case .orders:
            return .later { reply in workers.submit { reply.send(counted(request)) } }
        case .entitlements: return .later { _ in false }
        case .attention:
            return .later { reply in
                reply.send(counted(request))
                return true
            }
        case .history, .replays:
            return .respond(
                Response(status: 200, contentType: "text/plain", body: "\(metrics.deliveries) frames\n")
            )
        case .ready: return .respond(told(request))
        case .metrics: return .respond(Response(status: 200, contentType: "text/plain", body: ScriptedGateway.long))
        case .streams: return .open(page(request.query.all("name"), since: request.query["since"]))
        case .cable: return .openCable
        default: return .respond(.error(404, code: "not_found", message: "There is nothing at this address."))
        }
    }

    private func counted(_ request: Request) -> Response {
        Response(status: 200, contentType: "text/plain", body: "\(request.body.count) bytes\n")
    }

    /// Who it thinks has sent it.
    private func told(_ request: Request) -> Response {
        let scheme = request.scheme?.rawValue ?? "-"
        let body = "\(request.isLocal ? "local" : "remote") \(scheme) \(request.host)\n"
        return Response(status: 200, contentType: "text/plain", body: body)
    }

    /// A page that comes back with a cursor gets what is newer from its loop's memory, if that still has it.
    private func page(_ names: [String], since cursor: String?) -> PageRequest {
        let members = names.count > 1 ? names.compactMap { StreamName($0) } : []
        let stream = members.isEmpty ? names.first.flatMap { StreamName($0) } ?? .feed("none") : .union(of: members)
        let seen = cursor.flatMap { Cursor($0) }.map {
            MissedSince.cursor(Cursor(epoch: "test", position: $0.position))
        }
        return PageRequest(stream: stream, members: members, seen: seen) { ledger.read(stream, done: $0) }
    }
}

extension Metrics {
    /// How many frames were written to pages that had room for them.
    fileprivate var deliveries: Int {
        let line = page().split(separator: "\n").first { $0.hasPrefix("paycast_deliveries_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
    }
}

/// Knows of nothing up to its position 7, and says so at once; what is asked of the stream `slow` waits for its test.
final class ScriptedLedger: Sendable {
    private let waiting = Mutex<[@Sendable (CatchUpBatch) -> Void]>([])

    func read(_ stream: StreamName, done: @escaping @Sendable (CatchUpBatch) -> Void) -> Bool {
        if stream == StreamName("slow") {
            waiting.withLock { $0.append(done) }
        } else {
            done(CatchUpBatch(through: 7, messages: []))
        }
        return true
    }

    /// Waits for a reading and answers it.
    func answer(_ batch: CatchUpBatch) throws {
        try Deadline(.seconds(60)).wait(for: "a reading") { waitingCount > 0 }
        waiting.withLock { $0.removeFirst() }(batch)
    }

    var waitingCount: Int { waiting.withLock { $0.count } }
}

/// CPU that a gateway's first loop has used, in clock ticks (1/100 s).
func cpuTicks(of gateway: Gateway) -> Int { cpuTicks(of: "loop-0:\(gateway.port)") }

/// CPU that a thread of this process has used, in clock ticks (1/100 s).
func cpuTicks(of name: String) -> Int {
    var ticks = 0
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
        let id = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard let text = readFile("/proc/self/task/\(id)/stat"), text.contains("(\(name))") else { continue }
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { continue }
        ticks += user + system
    }
    return ticks
}
