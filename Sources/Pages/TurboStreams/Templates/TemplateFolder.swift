import Domain
import Glibc
import Support

/// Lists and reads `public/fragments/`; only this file touches the disk. If there is no such folder, it provides the
/// files that are built into the program.
struct TemplateFolder: Sendable {
    /// Detects a changed file without reading it.
    enum Stamp: Equatable {
        case builtIn
        case onDisk(FileVersion)
    }

    static let largestFile = 256 * 1024

    let path: String
    /// By file name.
    let builtIn: [String: [UInt8]]

    /// Every regular file named `*.html`, and those in folders that have the name of an entitlement.
    func files() throws(MarkupError) -> [String: Stamp] {
        let names: [String]
        do { names = try SmallFile.names(in: path) } catch {
            if error.number == ENOENT { return builtIn.mapValues { _ in .builtIn } }
            throw TemplateFolder.unreadable(error.number)
        }
        var files: [String: Stamp] = [:]
        for name in names {
            add(name, to: &files)
            guard EntitlementName(name) != nil else { continue }
            do { for file in try SmallFile.names(in: "\(path)/\(name)") { add("\(name)/\(file)", to: &files) } } catch {
                guard error.number == ENOTDIR || error.number == ENOENT else {
                    throw TemplateFolder.unreadable(error.number)
                }
            }
        }
        return files
    }

    private func add(_ name: String, to files: inout [String: Stamp]) {
        if name.hasSuffix(".html"), !name.hasPrefix("."), !name.contains("/.") { files[name] = stamp(of: name) }
    }

    func read(_ file: String, stamp: Stamp) throws(MarkupError) -> [UInt8] {
        if stamp == .builtIn, let source = builtIn[file] { return source }
        let source: [UInt8]
        do { source = try SmallFile.read("\(path)/\(file)") } catch {
            throw TemplateFolder.unreadable(error.number)
        }
        guard source.count <= TemplateFolder.largestFile else {
            throw MarkupError("is larger than \(TemplateFolder.largestFile / 1024) KiB; a fragment needs only a few")
        }
        return source
    }

    private static func unreadable(_ number: Int32) -> MarkupError {
        MarkupError("cannot be read (\(String(cString: strerror(number)))); check its permissions")
    }

    private func stamp(of file: String) -> Stamp? {
        var status = stat()
        guard stat("\(path)/\(file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return .onDisk(FileVersion(status))
    }
}
