/// The headers of every file that pages load.
enum FileHeaders {
    /// `isForAnyOrigin`: pages of every origin may read the file. Scripts are always readable.
    static func of(_ name: String, tag: String, isForAnyOrigin: Bool = false) -> [(name: String, value: String)] {
        let type = contentType(name)
        var headers = [
            ("Content-Type", type), ("ETag", tag),
            // The browser checks the tag each time, so that a deployed change shows at once.
            ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
        ]
        // Without the first header, a browser blocks a module of another origin. Without the second, it blocks any file
        // of another origin if the page sets `Cross-Origin-Embedder-Policy: require-corp`.
        if isForAnyOrigin || type.hasPrefix("text/javascript") {
            headers += [("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin")]
        }
        return headers
    }

    private static func contentType(_ name: String) -> String {
        switch name.split(separator: ".").last.map({ $0.lowercased() }) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json", "map": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
