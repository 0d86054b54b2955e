internal import Domain
public import Runtime
internal import Synchronization

/// All socket loops of a server, behind one door.
public final class Gateway: Sendable {
    private let ports: [LoopPort]
    private let threads: [WorkerThread]
    /// The port that is bound.
    public let port: Int

    /// Binds and starts serving. `position` is the ledger's newest entry: what is published is newer.
    public init(
        address: String,
        port: Int,
        loops: Int,
        epoch: String,
        position: Int64,
        handler: any RequestHandler,
        metrics: Metrics
    ) throws(GatewayError) {
        let counters = GatewayMetrics(metrics)
        var settings = LoopSettings(address: address, port: port, epoch: epoch)
        var ports: [LoopPort] = []
        var threads: [WorkerThread] = []
        for number in 0..<loops {
            let loop = Gateway.start(number, settings, handler, counters, position)
            switch loop.bound {
            case .success(let bound): settings.port = bound
            case .failure(let error):
                ports.forEach { $0.send(.stop) }
                threads.forEach { $0.join() }
                throw error
            }
            ports.append(loop.port)
            threads.append(loop.thread)
        }
        self.ports = ports
        self.threads = threads
        self.port = settings.port
    }

    /// Hands publications to every loop; each finds its own pages.
    public func publish(_ publications: [Publication]) {
        for port in ports { port.send(.publish(publications)) }
    }

    /// Ends all pages so that they come back soon, elsewhere or here.
    public func drain() {
        for port in ports { port.send(.drain) }
    }

    /// Closes everything and joins the threads. Once only.
    public func stop() {
        for port in ports { port.send(.stop) }
        for thread in threads { thread.join() }
    }

    private static func start(
        _ number: Int,
        _ settings: LoopSettings,
        _ handler: any RequestHandler,
        _ metrics: GatewayMetrics,
        _ position: Int64
    ) -> (port: LoopPort, thread: WorkerThread, bound: Result<Int, GatewayError>) {
        let port = LoopPort()
        let started = Waker()
        let box = StartResult()
        let thread = WorkerThread(name: "loop-\(number)") {
            SocketLoop(settings: settings, port: port, handler: handler, metrics: metrics, position: position)
                .run { bound in
                    box.set(bound)
                    started.wake()
                }
        }
        started.wait()
        return (port, thread, box.take() ?? .failure(.cannotListen(address: settings.address, port: settings.port)))
    }
}

/// Carries a loop's first word back to the thread that started it.
private final class StartResult: Sendable {
    private let value = Mutex<Result<Int, GatewayError>?>(nil)

    func set(_ result: Result<Int, GatewayError>) {
        value.withLock { $0 = result }
    }

    func take() -> Result<Int, GatewayError>? { value.withLock { $0 } }
}
