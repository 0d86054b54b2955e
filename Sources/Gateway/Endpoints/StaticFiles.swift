internal import Crypto
internal import Glibc

/// Files under the public folder: nothing outside it, no dotfile, no folder listing.
struct StaticFiles: Sendable {
    static let notFound = Response.error(404, "not_found", "There is nothing at this address.")

    /// Larger files belong on a file server: the answer is built in memory.
    private static let sizeLimit = 16 << 20

    private let folder: String

    init(_ folder: String) {
        self.folder = folder
    }

    func response(_ path: String, ifNoneMatch: String?) -> Response {
        guard let name = StaticFiles.name(path), let file = read(name) else { return StaticFiles.notFound }
        let tag = "\"\(Hex.encode(Array(SHA256.hash(file).prefix(12))))\""
        let headers = [
            ("Content-Type", StaticFiles.contentType(name)), ("ETag", tag),
            // The tag is checked each time: a deployed change shows at once.
            ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
        ]
        let known = ifNoneMatch?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
        if known.contains(where: { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }) {
            return Response(status: 304, headers: headers)
        }
        return Response(status: 200, headers: headers, body: file)
    }

    /// The file's path below the folder. lws has resolved `..` already; what still has one, or a dotfile, is refused.
    static func name(_ path: String) -> String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if path.hasSuffix("/") { parts.append("index.html") }
        guard !parts.isEmpty, !parts.contains(where: { $0.hasPrefix(".") || $0.contains("\\") || $0.contains("\0") })
        else { return nil }
        return parts.joined(separator: "/")
    }

    /// Nil for what is no regular file (a pipe must not block the loop), is too large, or leaves the folder through a link.
    private func read(_ name: String) -> [UInt8]? {
        guard let root = realpath(folder, nil) else { return nil }
        defer { free(root) }
        guard let resolved = realpath("\(folder)/\(name)", nil) else { return nil }
        defer { free(resolved) }
        guard String(cString: resolved).hasPrefix(String(cString: root) + "/") else { return nil }
        let descriptor = open(resolved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= StaticFiles.sizeLimit
        else { return nil }
        return bytes(of: descriptor, count: Int(status.st_size))
    }

    private func bytes(of descriptor: Int32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized)
                guard got > 0 else { return }
                initialized += got
            }
        }
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
