internal import Gateway
internal import Glibc
internal import Support

/// Notices that the certificate or its key was renewed, and gives new connections the new one. One thread owns it.
struct CertificateWatch {
    /// The properties of a file that change when it is written or replaced.
    private struct Stamp: Equatable {
        var inode: UInt = 0
        var size = 0
        /// The bytes of a `timespec`, because the C module of its members depends on the order of compilation.
        var modified: [UInt8] = []

        init(_ path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return }
            inode = UInt(information.st_ino)
            size = Int(information.st_size)
            modified = withUnsafeBytes(of: information.st_mtim) { Array($0) }
        }
    }

    private let files: Configuration.TLS
    private let gateway: Gateway
    private let health: CertificateHealth
    private let log: Log
    private var seen: [Stamp]
    /// The last pair of files that was reported as unusable.
    private var reported: [Stamp] = []

    init(_ files: Configuration.TLS, gateway: Gateway, health: CertificateHealth, log: Log) {
        self.files = files
        self.gateway = gateway
        self.health = health
        self.log = log
        seen = CertificateWatch.stamps(files)
        health.shown(files.certificateFile)
    }

    /// A pair that cannot be used is reported once, and tried again: the second file may not have arrived yet, or the
    /// process may have reached its limit of open files.
    mutating func refresh() {
        let stamps = CertificateWatch.stamps(files)
        guard stamps != seen else { return }
        do throws(ServerIdentityError) {
            gateway.renew(try ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile))
            seen = stamps
            health.shown(files.certificateFile)
            log.info("certificate renewed", fields: ["file": files.certificateFile])
        } catch {
            health.broken(error.description)
            guard stamps != reported else { return }
            reported = stamps
            log.warning("certificate not renewed, the last good one is kept", fields: ["problem": error.description])
        }
    }

    private static func stamps(_ files: Configuration.TLS) -> [Stamp] {
        [Stamp(files.certificateFile), Stamp(files.keyFile)]
    }
}
