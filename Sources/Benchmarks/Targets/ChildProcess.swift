import Glibc

/// A child process, started in its own folder, that prints on standard output where it listens.
final class ChildProcess {
    let id: pid_t
    let port: Int
    /// The time from the start until the child prints that it is listening.
    let startUp: Duration
    private var hasEnded = false

    /// Standard error goes to `errors.log` in `folder`.
    init(_ command: [String], in folder: String, environment: [String: String] = [:]) throws(BenchmarkError) {
        var pipe: [Int32] = [0, 0]
        guard Glibc.pipe(&pipe) == 0 else { throw .system("pipe", errno) }
        defer { close(pipe[0]) }
        let start = ContinuousClock.now
        let script = #"cd "$0" && exec "$@" 2>>errors.log"#
        let variables = environment.map { "\($0)=\($1)" }
        let child = ChildProcess.spawn(
            ["/bin/sh", "-c", script, folder, "/usr/bin/env"] + variables + command,
            output: pipe[1]
        )
        close(pipe[1])
        id = try child.get()
        guard let line = ChildProcess.readLine(pipe[0]), let port = line.split(separator: ":").last.flatMap({ Int($0) })
        else {
            kill(id, SIGKILL)
            waitpid(id, nil, 0)
            throw .notStarted("see \(folder)/errors.log")
        }
        self.port = port
        startUp = ContinuousClock.now - start
    }

    deinit {
        guard !hasEnded else { return }
        kill(id, SIGTERM)
        waitpid(id, nil, 0)
    }

    func signal(_ number: Int32) { kill(id, number) }

    /// Checks without waiting. Once this returns true, the process id may be reused.
    func isGone() -> Bool {
        if !hasEnded { hasEnded = waitpid(id, nil, WNOHANG) == id }
        return hasEnded
    }

    /// Runs a program to its end; returns whether it succeeded.
    static func run(_ words: [String]) throws(BenchmarkError) -> Bool {
        let child = try spawn(words, output: 2).get()
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status == 0
    }

    private static func spawn(_ words: [String], output: Int32) -> Result<pid_t, BenchmarkError> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, words[0], &actions, nil, arguments, environ)
        return status == 0 ? .success(child) : .failure(.system("posix_spawn", status))
    }

    private static func readLine(_ descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
