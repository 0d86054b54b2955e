import Glibc

/// `swift run -c release Benchmarks [name …]`: measures Paycast and its floor, and prints one table.
func measure(_ names: [String]) throws -> Report {
    let groups = ["holes": holes, "nodes": nodes]
    let names = names.flatMap { name in groups[name]?.map { $0.name } ?? [name] }
    let known = benchmarks.map { $0.name }
    for name in names where !known.contains(name) { throw BenchmarkError.unknown(name, known: known) }
    var report = Report()
    for benchmark in benchmarks where names.isEmpty || names.contains(benchmark.name) {
        note("\(benchmark.name) …")
        try benchmark.run(&report)
    }
    return report
}

func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(2, bytes, bytes.count)
}

/// A page needs one file descriptor here and one in the server, which inherits the limit.
func raiseFileLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

raiseFileLimit()
signal(SIGPIPE, SIG_IGN)
do {
    let names = Array(CommandLine.arguments.dropFirst())
    if names == ["--floor"] { try FloorServer.run() }
    if names.first == "--delay" { try DelayingProxy.run(names.dropFirst().compactMap { Int($0) }) }
    print(try measure(names).table)
} catch {
    note("Benchmarks: \(error)")
    exit(1)
}
