import Domain
import Glibc

/// Lists and reads `public/fragments/`; only this file touches the disk. If there is no such folder, it provides the
/// files that are built into the program.
struct TemplateFolder: Sendable {
    /// Detects a changed file without reading it; the inode detects a file that was moved into its place.
    struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        /// No file on disk has this stamp.
        static let builtIn = Stamp(inode: 0, size: -1, seconds: 0, nanoseconds: 0)
    }

    static let largestFile = 256 * 1024

    let path: String
    /// By file name.
    let builtIn: [String: [UInt8]]

    /// Every regular file named `*.html`.
    func files() throws(TemplateError) -> [String: Stamp] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return builtIn.mapValues { _ in .builtIn } }
            throw .unreadable(String(cString: strerror(errno)))
        }
        defer { closedir(folder) }
        var files: [String: Stamp] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(".html"), !name.hasPrefix("."), let stamp = stamp(of: name) else { continue }
            files[name] = stamp
        }
        return files
    }

    func read(_ file: String, stamp: Stamp) throws(TemplateError) -> [UInt8] {
        if stamp == .builtIn, let source = builtIn[file] { return source }
        let descriptor = open("\(path)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: TemplateFolder.largestFile + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
            if count == 0 { return Array(bytes[..<length]) }
            length += count
        }
        throw .tooLarge(limit: TemplateFolder.largestFile)
    }

    private func stamp(of file: String) -> Stamp? {
        var status = stat()
        guard stat("\(path)/\(file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec
        )
    }
}

/// One file of `public/fragments/`: an element for each page target that it replaces, with that target's id.
struct TemplateFile: Equatable {
    /// By id.
    let roots: [String: Template]

    /// `key` is the file's name without `.html`.
    init(key: String, source: [UInt8]) throws(TemplateError) {
        guard let name = TemplateFile.name(of: key) else { throw .fileName }
        guard String(validating: source, as: UTF8.self) != nil else { throw .notUTF8 }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let source = source.starts(with: byteOrderMark) ? Array(source.dropFirst(3)) : source
        let elements: [HTMLElement]
        do { elements = try HTMLElement.topLevel(of: source) } catch { throw .syntax(error) }
        let page = FragmentName(rawValue: name)
        try TemplateFile.checkTargets(of: elements, name: name, page: page)
        var roots: [String: Template] = [:]
        for element in elements {
            let id = element.id ?? ""
            guard roots[id] == nil else { throw .duplicateID(id) }
            roots[id] = try Template(source, range: element.range, values: page == nil ? nil : TemplateValues.names)
        }
        self.roots = roots
    }

    /// The part before the first dot; nil when no fragment could have that name.
    static func name(of key: String) -> String? {
        let name = key.prefix { $0 != "." }
        guard !name.isEmpty, name.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) || $0 == 95 }),
            name.utf8.count == key.utf8.count || key.utf8.count > name.utf8.count + 1
        else { return nil }
        return String(name)
    }

    /// The element that `action` puts at `target`: the one with that id, or the only element if ids need not match.
    func root(action: String, target: String?) -> Template? {
        if let target, let root = roots[target] { return root }
        guard target == nil || action != "replace", roots.count == 1 else { return nil }
        return roots.values.first
    }
}

/// Decides which target a template must contain.
extension TemplateFile {
    /// A page's template has only page targets, and the one that its name requires. Any other template is the app's own,
    /// for broadcasts: one element with an id. `page` is nil if no fragment has this name.
    static func checkTargets(of elements: [HTMLElement], name: String, page: FragmentName?) throws(TemplateError) {
        if let page {
            try check(elements, of: page)
        } else if !isMisnamed(elements, name: name) {
            try checkBroadcast(elements)
        }
    }

    private static func check(_ elements: [HTMLElement], of name: FragmentName) throws(TemplateError) {
        for element in elements {
            guard let id = element.id, PageTarget(rawValue: id) != nil else {
                throw .rootWithoutTarget(element: element.name, id: element.id)
            }
        }
        let required = name.requiredTarget.rawValue
        guard elements.contains(where: { $0.id == required }) else { throw .missingTarget(required) }
    }

    /// A page's template with a typo in its name. It causes a warning and need not be valid as a broadcast template.
    private static func isMisnamed(_ elements: [HTMLElement], name: String) -> Bool {
        guard let meant = TemplateWarning.nearestFile(to: name).flatMap(FragmentName.init(rawValue:)) else {
            return false
        }
        return (try? check(elements, of: meant)) != nil
    }

    private static func checkBroadcast(_ elements: [HTMLElement]) throws(TemplateError) {
        guard elements.count == 1 else { throw .notOneRoot(count: elements.count) }
        guard let id = elements[0].id, !id.isEmpty, !id.contains("{{") else {
            throw .rootWithoutID(element: elements[0].name)
        }
    }
}

extension FragmentName {
    /// The target that a template of this name must contain.
    var requiredTarget: PageTarget {
        switch self {
        case .success, .pending, .paywall, .fixBilling, .paused, .revoked, .moved: .paywall
        case .manage, .warnBilling, .ending: .subscriptionStatus
        }
    }
}
