/// The floor, in a child process of this program.
struct FloorServerTarget: Target {
    let process: Child

    init(in folder: String) throws(BenchmarkError) {
        process = try Child([Paths.programs + "/Benchmarks", "--floor"], in: folder)
    }

    var port: Int { process.port }

    func path(channel: Int) -> String { "/pages/\(channel)" }

    /// The floor speaks no Action Cable.
    func subscribeCommand(channel: Int) -> String { "" }

    func broadcast(_ html: String, channel: Int) -> [UInt8] {
        request("POST", "/pages/\(channel)", body: Array(html.utf8))
    }
}
