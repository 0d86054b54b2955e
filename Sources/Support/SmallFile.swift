import Glibc

/// Reads and writes files of a few kilobytes in one go: certificates, keys and addresses.
public enum SmallFile {
    /// Reads 1 MiB at most.
    public static func read(_ path: String) throws(SmallFileError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw SmallFileError(path: path, number: errno) }
        defer { fclose(file) }
        // Nothing fills the room first: with some twenty files a start, that was a sixth of it.
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { room, count in
            count = fread(room.baseAddress, 1, room.count, file)
        }
        guard ferror(file) == 0 else { throw SmallFileError(path: path, number: errno) }
        return bytes.withUnsafeBufferPointer { Array($0) }
    }

    /// The names in a folder, in no order.
    public static func names(in folder: String) throws(SmallFileError) -> [String] {
        guard let opened = opendir(folder) else { throw SmallFileError(path: folder, number: errno) }
        defer { closedir(opened) }
        var names: [String] = []
        while let entry = readdir(opened) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names
    }

    /// Writes a new file, whole or not at all, that only its owner may read. Returns false if the file already exists:
    /// when several processes try, one of them creates it.
    public static func create(_ path: String, contents bytes: [UInt8]) throws(SmallFileError) -> Bool {
        let draft = try writeDraft(of: path, contents: bytes)
        defer { unlink(draft) }
        if link(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw SmallFileError(path: path, number: errno) }
        return false
    }

    /// Writes a file that only its owner may read, and replaces an existing one.
    public static func replace(_ path: String, contents bytes: [UInt8]) throws(SmallFileError) {
        let draft = try writeDraft(of: path, contents: bytes)
        guard rename(draft, path) == 0 else {
            let number = errno
            unlink(draft)
            throw SmallFileError(path: path, number: number)
        }
    }

    /// Makes a folder that only its owner may enter, unless it exists.
    public static func makeFolder(_ path: String) throws(SmallFileError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SmallFileError(path: path, number: errno) }
    }

    private static func writeDraft(of path: String, contents bytes: [UInt8]) throws(SmallFileError) -> String {
        var template = Array("\(path).XXXXXX".utf8CString)
        // mkstemp(3) creates the file with mode 0600.
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SmallFileError(path: path, number: errno) }
        defer { close(descriptor) }
        let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            let number = errno
            unlink(draft)
            throw SmallFileError(path: path, number: number)
        }
        return draft
    }
}

/// The file and the system's reason.
public struct SmallFileError: Error, Equatable, CustomStringConvertible {
    public let path: String
    /// An `errno`.
    public let number: Int32

    public var description: String { "\(path): \(String(cString: strerror(number)))" }
}
