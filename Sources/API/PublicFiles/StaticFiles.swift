internal import Glibc
internal import HTTP
public import Pages
public import Support

/// Serves the files in the public folder: nothing outside it, no dotfiles, no folder listings.
///
/// A worker opens a file, and hashes it once per change; the loop sends it in pieces. A file that is missing in the
/// folder may be part of the program.
public struct StaticFiles: Sendable {
    /// Larger files belong on a file server: a worker that hashes one is not free for other work.
    private static let sizeLimit = 16 << 20

    /// Nil if the folder does not exist.
    private let folder: String?
    /// Files that are part of the program, by their paths below the folder.
    private let builtIn: [String: [UInt8]]
    private let readers: WorkerPool
    private let tags = FileTags()
    private let openFiles: OpenFiles

    /// `openFiles` bounds the files of which some are being sent; for others a client has to come back.
    public init(
        _ folder: String?,
        builtIn: [String: [UInt8]] = [:],
        readers: WorkerPool,
        openFiles: Int
    ) {
        self.folder = folder
        self.builtIn = builtIn
        self.readers = readers
        self.openFiles = OpenFiles(limit: openFiles)
    }

    public func answer(_ request: Request, path: String) -> Answer {
        .later { reply in
            readers.submit { reply.send(response(path, request: request)) }
        }
    }

    private func response(_ path: String, request: Request) -> Response {
        response(
            path,
            ifNoneMatch: request.head[.ifNoneMatch],
            range: request.method == "GET" ? request.head[.range] : nil,
            ifRange: request.head[.ifRange]
        )
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
            return builtIn[name].map { StaticFiles.response($0, name: name, ifNoneMatch: ifNoneMatch) } ?? .notFound
        }
        let tag = tags.tag(of: name, status: status, file: file)
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

    /// Answers with a file that is part of the program.
    static func response(_ bytes: [UInt8], name: String, ifNoneMatch: String?) -> Response {
        let tag = EntityTag.of(bytes)
        let headers = FileHeaders.of(name, tag: tag)
        guard !EntityTag.isKnown(tag, ifNoneMatch: ifNoneMatch) else {
            return Response(status: 304, headers: headers)
        }
        return Response(status: 200, headers: headers, body: bytes)
    }

    /// The file's path below the folder. `..` was refused with the request's head; dotfiles are refused here.
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
}
