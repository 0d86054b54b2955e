import Commands
import HTTPClient
import Server

/// Prints what runs here, for bug reports.
struct Version: Command {
    static let name = "version"
    static let summary = "print the versions of this program and its libraries"
    static let help = """
        Print the versions of this program, its libraries and its build.

        Usage: paycast version
        """

    init(_ arguments: inout Arguments) {}

    func run() -> Int32 {
        printText("paycast \(releaseVersion)")
        for (name, version) in components { printText(padded(name, to: 16, gap: 1) + version) }
        return 0
    }

    private var components: [(String, String)] {
        [("Swift", swiftVersion), ("libwebsockets", libwebsocketsVersion)]
            + libraryVersions.map { ($0.name, $0.version) } + [("libcurl", libcurlVersion), ("build", configuration)]
    }

    private var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    private var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
