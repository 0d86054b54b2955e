import CZstd
import Support
import Synchronization

/// Compresses with Zstandard (RFC 8878), at its fastest level: for what stores send, no level saves more than 5 % beside
/// it. zlib saves as much, and takes two to five times as long. What was packed before there was a dictionary refers to none,
/// and is read as well.
///
/// A context takes 70 µs to make and is used by one thread at a time, so those that are free wait for the next caller.
enum Zstandard {
    private static let level: Int32 = 1

    /// `@unchecked Sendable`: a context is in a list, under the lock, or in the hands of the one thread that took it out.
    private struct Contexts: @unchecked Sendable {
        var compressing: [OpaquePointer] = []
        var decompressing: [OpaquePointer] = []
    }

    private static let free = Mutex(Contexts())

    /// `@unchecked Sendable`: digested once, and only read since then, as Zstandard allows any number of threads to.
    private struct Dictionaries: @unchecked Sendable {
        let compressing = ZSTD_createCDict(dictionary, dictionary.count, level)
        let decompressing = ZSTD_createDDict(dictionary, dictionary.count)
    }

    private static let dictionaries = Dictionaries()
    static let dictionary = Array(Assets.bodyDictionary)

    /// Nil when it cannot, for lack of memory.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let context = free.withLock({ $0.compressing.popLast() }) ?? ZSTD_createCCtx() else { return nil }
        defer { free.withLock { $0.compressing.append(context) } }
        var size = 0
        let compressed = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { output, count in
            size = ZSTD_compress_usingCDict(
                context,
                output.baseAddress,
                output.count,
                bytes,
                bytes.count,
                dictionaries.compressing
            )
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        return ZSTD_isError(size) == 0 ? compressed : nil
    }

    /// Nil for anything but one frame that `compress` made of at most `limit` bytes.
    static func decompress(_ frame: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        // An unknown size is one of the largest numbers.
        let size = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard size <= UInt64(limit), let context = free.withLock({ $0.decompressing.popLast() }) ?? ZSTD_createDCtx()
        else { return nil }
        defer { free.withLock { $0.decompressing.append(context) } }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { output, count in
            let written = frame.withUnsafeBytes {
                ZSTD_decompress_usingDDict(
                    context,
                    output.baseAddress,
                    output.count,
                    $0.baseAddress,
                    $0.count,
                    dictionaries.decompressing
                )
            }
            count = ZSTD_isError(written) == 0 ? written : 0
        }
        return bytes.count == Int(size) ? bytes : nil
    }
}

/// The version of Zstandard that is loaded.
public let zstandardVersion = String(cString: ZSTD_versionString())
