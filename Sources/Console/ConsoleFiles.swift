internal import Assets
internal import Pages

/// The style sheet and the scripts of the console, at `/console/assets/NAME`.
struct ConsoleFiles: Sendable {
    private let responses: [String: Response]

    init() {
        // The elements of Turbo that the demo has, for the live pages.
        let scripts = Assets.demo.filter { ["turbo.js", "icon.svg"].contains($0.key) }
        responses = Assets.console.merging(scripts) { own, _ in own }.reduce(into: [:]) { found, file in
            guard let type = ConsoleFiles.type(of: file.key) else { return }
            found[file.key] = ConsoleHeaders.added(
                to: Response(status: 200, headers: [("Content-Type", type)], body: file.value)
            )
        }
    }

    func answer(_ name: String) -> Response { responses[name] ?? ConsoleHeaders.added(to: .notFound) }

    /// Nil for a template, which is no file for a browser.
    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
