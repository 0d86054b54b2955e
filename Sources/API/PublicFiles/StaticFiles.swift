import Crypto
import Encoding
import Glibc
import HTTP
import Pages
import Support
import Synchronization

/// Serves the files in the folder: nothing outside it, no dotfiles, no folder listings.
///
/// A worker opens a file, and hashes it once per change; the loop sends it in pieces. A file that is missing in the
/// folder may be part of the program.
final class StaticFiles: Sendable {
    /// Larger files belong on a file server: a worker that hashes one is not free for other work.
    private static let sizeLimit = 16 << 20

    /// Nil if the folder does not exist.
    private let folder: String?
    /// Files that are part of the program, by their paths below the folder.
    private let builtIn: [String: ShippedFile]
    private let readers: WorkerPool
    /// The tag of each requested file: a file is read once per change. A full list is emptied.
    private let tags = Mutex<[String: (version: FileVersion, tag: String)]>([:])
    private let openFiles: OpenFiles

    /// `openFiles` bounds the files of which some are being sent; for others a client has to come back.
    init(_ folder: String?, builtIn: [String: ShippedFile] = [:], readers: WorkerPool, openFiles: Int) {
        self.folder = folder
        self.builtIn = builtIn
        self.readers = readers
        self.openFiles = OpenFiles(limit: openFiles)
    }

    func answer(_ request: Request, path: String) -> Answer {
        .later { [self] reply in
            readers.submit { [self] in
                reply.send(
                    response(
                        path,
                        ifNoneMatch: request.head[.ifNoneMatch],
                        range: request.method == "GET" ? request.head[.range] : nil,
                        ifRange: request.head[.ifRange]
                    )
                )
            }
        }
    }

    /// Call this on a worker: it may wait for the disk.
    func response(
        _ path: String,
        ifNoneMatch: String? = nil,
        range: String? = nil,
        ifRange: String? = nil
    ) -> Response {
        guard let name = StaticFiles.name(path) else { return .notFound }
        let (file, status): (OpenFile, stat)
        do throws(Failure) {
            (file, status) = try open(name)
        } catch {
            guard error == .missing else { return .busy }
            return builtIn[name]?.answer(ifNoneMatch: ifNoneMatch) ?? .notFound
        }
        let tag = tag(of: name, status: status, file: file)
        let size = Int(status.st_size)
        var headers = FileHeaders.of(name, tag: tag) + [("Accept-Ranges", "bytes")]
        if EntityTag.isKnown(tag, ifNoneMatch: ifNoneMatch) { return Response(status: 304, headers: headers) }
        // The client must not combine parts of two versions (RFC 9110 §13.1.5).
        let part = ifRange.map { $0 == tag } ?? true ? ByteRange(range, size: size) : .whole
        var response = Response(status: 200)
        switch part {
        case .whole: response.file = FileBody(file: file, range: 0..<size)
        case .part(let range):
            response.status = 206
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            response.file = FileBody(file: file, range: range)
        case .unsatisfiable:
            response.status = 416
            headers.append(("Content-Range", "bytes */\(size)"))
        }
        response.headers = headers
        return response
    }

    /// The file's path below the folder; nil for a dotfile, and for a part that leads up, as `..` does.
    static func name(_ path: String) -> String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if path.hasSuffix("/") { parts.append("index.html") }
        guard !parts.isEmpty, !parts.contains(where: { $0.hasPrefix(".") || $0.contains("\\") || $0.contains("\0") })
        else { return nil }
        return parts.joined(separator: "/")
    }

    private enum Failure: Error {
        case missing
        /// The file may exist, but the process cannot open any more files.
        case noDescriptor
    }

    /// Files that are not regular (a pipe must not block), are too large, or leave the folder through a link count as
    /// missing.
    private func open(_ name: String) throws(Failure) -> (OpenFile, stat) {
        guard let folder, let root = realpath(folder, nil) else { throw .missing }
        defer { free(root) }
        guard let resolved = realpath("\(folder)/\(name)", nil) else { throw .missing }
        defer { free(resolved) }
        guard String(cString: resolved).hasPrefix(String(cString: root) + "/") else { throw .missing }
        let descriptor = Glibc.open(resolved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw errno == EMFILE || errno == ENFILE ? .noDescriptor : .missing }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= StaticFiles.sizeLimit
        else {
            close(descriptor)
            throw .missing
        }
        guard let file = openFiles.share(descriptor, status: status) else { throw .noDescriptor }
        return (file, status)
    }

    private func tag(of name: String, status: stat, file: OpenFile) -> String {
        let version = FileVersion(status)
        if let tag = tags.withLock({ $0[name].flatMap { $0.version == version ? $0.tag : nil } }) { return tag }
        var body = FileBody(file: file, range: 0..<Int(status.st_size))
        let hash = SHA256.hash { body.range.isEmpty ? nil : body.next() }
        let tag = EntityTag.text(hash)
        tags.withLock { tags in
            if tags.count >= 1000 { tags = [:] }
            tags[name] = (version, tag)
        }
        return tag
    }
}

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

/// A file that is part of the program. `GET /paycast.js`, `/paycast-native.js` and `/openapi.json` work even if the public
/// folder is the app's and lacks them.
struct ShippedFile: Sendable {
    static let script = ShippedFile("paycast.js", bytes: Assets.script, isForAnyOrigin: true)
    static let nativeScript = ShippedFile("paycast-native.js", bytes: Assets.nativeScript, isForAnyOrigin: true)
    /// The requests and answers of every route, as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html).
    static let openAPI = ShippedFile("openapi.json", bytes: Assets.openAPI, isForAnyOrigin: true)

    private let bytes: [UInt8]
    private let tag: String
    private let headers: [(name: String, value: String)]

    init(_ name: String, bytes: [UInt8], isForAnyOrigin: Bool = false) {
        self.bytes = bytes
        tag = EntityTag.of(bytes)
        headers = FileHeaders.of(name, tag: tag, isForAnyOrigin: isForAnyOrigin)
    }

    func answer(_ request: Request) -> Response { answer(ifNoneMatch: request.head[.ifNoneMatch]) }

    func answer(ifNoneMatch: String?) -> Response {
        guard !EntityTag.isKnown(tag, ifNoneMatch: ifNoneMatch) else { return Response(status: 304, headers: headers) }
        return Response(status: 200, headers: headers, body: bytes)
    }
}

/// The `ETag` of an answer (RFC 9110 §8.8.3): a hash of its bytes, so that all servers of a deployment agree.
enum EntityTag {
    static func of(_ bytes: [UInt8]) -> String { text(SHA256.hash(bytes)) }

    static func text(_ hash: [UInt8]) -> String { "\"\(Hex.encode(Array(hash.prefix(12))))\"" }

    /// Whether the client already has this version.
    static func isKnown(_ tag: String, ifNoneMatch: String?) -> Bool {
        let known = ifNoneMatch?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
        return known.contains { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }
    }
}
