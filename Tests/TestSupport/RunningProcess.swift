import Glibc
import Support
import Synchronization

/// A program that runs beside the test; killed when this object is gone.
public final class RunningProcess: Sendable {
    public enum Signal: Sendable {
        case interrupt, terminate, kill, stop, resume, hangUp, user1, user2
    }

    public struct Timeout: Error, CustomStringConvertible {
        public let description: String
    }

    /// What was read from it, and how it ended; shared with the reading thread.
    private final class Observed: Sendable {
        struct State {
            var output: [UInt8] = []
            var errors: [UInt8] = []
            /// As a shell shows it: 128 + the signal when one ended it.
            var exitCode: Int32?
        }

        let state = Mutex(State())
        let waker = Waker()
    }

    private let process: pid_t
    private let observed = Observed()
    private let reader: WorkerThread

    /// `environment` is all that it gets, beside PATH. `input` is what it reads on stdin. `passing`: what it gets as descriptors
    /// 3 and so on.
    public init(
        _ program: String,
        arguments: [String],
        environment: [String: String] = [:],
        folder: String = "/tmp",
        input: String = "",
        passing: [Int32] = []
    ) {
        let stdin = Channel()
        let stdout = Channel()
        let stderr = Channel()
        let streams = [stdin.theirs, stdout.theirs, stderr.theirs]
        let process = spawn(program, arguments, environment, folder, streams + passing)
        for channel in [stdin, stdout, stderr] { close(channel.theirs) }
        let bytes = Array(input.utf8)
        _ = Glibc.send(stdin.ours, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        close(stdin.ours)
        self.process = process
        reader = WorkerThread(name: "process reader") { [observed] in
            RunningProcess.follow(process, stdout: stdout.ours, stderr: stderr.ours, into: observed)
        }
    }

    deinit {
        send(.kill)
        reader.join()
    }

    /// Everything on stdout up to now.
    public var output: String { observed.state.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// Everything on stderr up to now.
    public var errors: String { observed.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Its process id.
    public var number: Int { Int(process) }

    /// How many files it may have open now.
    public var fileLimit: Int? {
        let line = readFile("/proc/\(process)/limits")?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
    }

    /// Memory that it takes now (`VmRSS` of proc(5)).
    public var residentBytes: Int? {
        let line = readFile("/proc/\(process)/status")?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    public var isRunning: Bool { observed.state.withLock { $0.exitCode == nil } }

    /// Under the lock, and only before the process was reaped: its number cannot be another's.
    public func send(_ signal: Signal) {
        observed.state.withLock { state in
            guard state.exitCode == nil else { return }
            _ = Glibc.kill(process, signal.number)
        }
    }

    /// The first line of stdout that satisfies `condition`, without its line break.
    public func line(timeout: Duration = .seconds(60), where condition: (String) -> Bool) throws(Timeout) -> String {
        try wait(timeout, for: "a line on stdout") { state in lines(state.output).first(where: condition) }
    }

    public func errorLine(timeout: Duration = .seconds(60), where condition: (String) -> Bool) throws(Timeout) -> String
    {
        try wait(timeout, for: "a line on stderr") { state in lines(state.errors).first(where: condition) }
    }

    /// 128 + the signal when one ended it.
    @discardableResult
    public func waitForExit(timeout: Duration = .seconds(60)) throws(Timeout) -> Int32 {
        try wait(timeout, for: "the end of the process") { $0.exitCode }
    }

    private func wait<Value>(
        _ timeout: Duration,
        for what: String,
        until find: (Observed.State) -> Value?
    ) throws(Timeout) -> Value {
        let deadline = Deadline(timeout)
        while true {
            let (found, hasEnded) = observed.state.withLock { (find($0), $0.exitCode != nil) }
            if let found { return found }
            guard !hasEnded, !deadline.hasPassed else {
                let reason = hasEnded ? "it has ended" : "\(timeout)"
                throw Timeout(description: "no \(what) (\(reason)); stdout: \(output) stderr: \(errors)")
            }
            observed.waker.wait(timeout: .milliseconds(Int64(deadline.remainingMilliseconds)))
        }
    }

    /// Reads both until their end, then reaps. Errors first: who waits for a line on stdout finds what was logged before it.
    private static func follow(_ process: pid_t, stdout: Int32, stderr: Int32, into observed: Observed) {
        var open = [stderr, stdout]
        while !open.isEmpty {
            var requests = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&requests, nfds_t(requests.count), -1) > 0 else { continue }
            for request in requests where request.revents != 0 {
                var chunk = [UInt8](repeating: 0, count: 64 << 10)
                let count = read(request.fd, &chunk, chunk.count)
                if count <= 0 { open.removeAll { $0 == request.fd } }
                observed.state.withLock { state in
                    if request.fd == stdout { state.output += chunk.prefix(max(0, count)) }
                    if request.fd == stderr { state.errors += chunk.prefix(max(0, count)) }
                }
                observed.waker.wake()
            }
        }
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {}
        observed.state.withLock { state in
            var status: Int32 = 0
            waitpid(process, &status, 0)
            state.exitCode = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        }
        observed.waker.wake()
        close(stdout)
        close(stderr)
    }
}

/// A socket pair: unlike a pipe it can be made close-on-exec at once, so that no other child inherits it.
private struct Channel {
    let ours: Int32
    let theirs: Int32

    init() {
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "socketpair: \(errno)")
        ours = pair[0]
        theirs = pair[1]
    }
}

extension RunningProcess.Signal {
    fileprivate var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .kill: SIGKILL
        case .stop: SIGSTOP
        case .resume: SIGCONT
        case .hangUp: SIGHUP
        case .user1: SIGUSR1
        case .user2: SIGUSR2
        }
    }
}

private func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init)
}
