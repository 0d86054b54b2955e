public import Crypto
public import Domain
import Encoding
import Glibc
public import Support

/// A folder's `.paycast/`: what a development server and its commands share. It stays the same across restarts.
///
/// | file | content |
/// |---|---|
/// | `authority.pem` | leaf, intermediate, root, and the leaf's key |
/// | `google.pem` | the key that signs as Google, and as Google's service account |
/// | `root.pem` | the root alone, for clients that should trust it |
/// | `api.key`, `stream.key`, and `NAME.key` of each `SharedSecretStore` | a random key each |
/// | `hook.key` | the secret that signs what the app's backend is told |
/// | `address`, `clock` | where the running server listens; how far its clock is ahead of this machine's |
public struct DevelopmentWorkspace: Sendable {
    /// Ends in `.paycast`.
    public let path: String
    /// The root to trust in addition to Apple's, in PEM.
    public let root: String
    public let apiKey: String
    public let streamKey: String
    /// Shared with the simulated stores that prove themselves by a secret.
    public let storeSecrets: [Provider: String]
    /// Signs webhooks to the app's backend; nil in a workspace that no server of this version has opened.
    public let hookSecret: String?
    /// Signs as the simulated store.
    public let signer: AppStoreSigner
    /// Signs as Google, and as the service account that calls Google's API.
    public let google: RSAPrivateKey

    /// Opens the workspace of `folder`, and creates what is missing. If several processes open a new workspace at the
    /// same time, all of them see the files of the first.
    public static func open(in folder: String) throws(WorkspaceError) -> DevelopmentWorkspace {
        let path = "\(folder)/.paycast"
        do { try SmallFile.makeFolder(path) } catch { throw .file(error) }
        try create("\(path)/authority.pem", newAuthority)
        try create("\(path)/google.pem", newGoogleKey)
        for name in ["api.key", "stream.key"] + secretFiles.map(\.name) {
            try create("\(path)/\(name)") { "\(Hex.encode(randomBytes(32)))\n" }
        }
        try create("\(path)/hook.key") { "whsec_\(Base64.encode(randomBytes(32)))\n" }
        let workspace = try existing(in: folder)
        try create("\(path)/root.pem") { workspace.root }
        return workspace
    }

    /// Opens the workspace that a development server has created, and creates nothing.
    public static func existing(in folder: String) throws(WorkspaceError) -> DevelopmentWorkspace {
        let path = "\(folder)/.paycast"
        guard access(path, F_OK) == 0 else { throw .missing(path: path) }
        let file = "\(path)/authority.pem"
        let text = try read(file)
        guard let chain = PEM.blocks("CERTIFICATE", in: text), chain.count == 3, let key = try? PrivateKey(pem: text)
        else { throw .damaged(path: file) }
        let googleText = try read("\(path)/google.pem")
        guard let google = try? RSAPrivateKey(pem: googleText) else { throw .damaged(path: "\(path)/google.pem") }
        var secrets: [Provider: String] = [:]
        for file in secretFiles { secrets[file.store] = try line(of: "\(path)/\(file.name)") }
        return DevelopmentWorkspace(
            path: path,
            root: PEM.text("CERTIFICATE", der: chain[2]),
            apiKey: try line(of: "\(path)/api.key"),
            streamKey: try line(of: "\(path)/stream.key"),
            storeSecrets: secrets,
            hookSecret: try? line(of: "\(path)/hook.key"),
            signer: AppStoreSigner(chain: chain, key: key),
            google: google
        )
    }

    /// Tells the commands where the server listens, and how far ahead its clock is (`PAYCAST_DEV_NOW`).
    public func write(address: String, clockOffset: Duration = .zero) throws(WorkspaceError) {
        try write(clockOffset: clockOffset)
        try replace("address", with: address)
    }

    /// Tells the commands that the clock was set while the server runs.
    public func write(clockOffset: Duration) throws(WorkspaceError) {
        try replace("clock", with: String(clockOffset.components.seconds))
    }

    private func replace(_ name: String, with line: String) throws(WorkspaceError) {
        do { try SmallFile.replace("\(path)/\(name)", contents: Array("\(line)\n".utf8)) } catch { throw .file(error) }
    }

    /// The address of the last server, such as `http://127.0.0.1:8080`. That server may be gone by now.
    public var address: String? { line(of: "address") }

    /// Add it to this machine's time to get the server's time. In whole seconds.
    public var clockOffset: Duration { .seconds(line(of: "clock").flatMap { Int64($0) } ?? 0) }

    private func line(of name: String) -> String? {
        try? DevelopmentWorkspace.line(of: "\(path)/\(name)")
    }

    private static func newAuthority() throws(WorkspaceError) -> String {
        do {
            let authority = try DevelopmentAuthority.create()
            return authority.chain.map { PEM.text("CERTIFICATE", der: $0) }.joined() + (try authority.leafKey.pem())
        } catch {
            throw .crypto(error)
        }
    }

    private static func newGoogleKey() throws(WorkspaceError) -> String {
        do { return try RSAPrivateKey.generate().pem() } catch { throw .crypto(error) }
    }

    /// Leaves a file that is there as it is.
    private static func create(
        _ path: String,
        _ text: () throws(WorkspaceError) -> String
    ) throws(WorkspaceError) {
        guard access(path, F_OK) != 0 else { return }
        let text = try text()
        do { _ = try SmallFile.create(path, contents: Array(text.utf8)) } catch { throw .file(error) }
    }

    private static func read(_ path: String) throws(WorkspaceError) -> String {
        do throws(SmallFileError) {
            return String(decoding: try SmallFile.read(path), as: UTF8.self)
        } catch {
            throw error.number == ENOENT ? WorkspaceError.unfinished(path: path) : .file(error)
        }
    }

    /// The file's first line, which must not be empty.
    private static func line(of path: String) throws(WorkspaceError) -> String {
        guard let line = try read(path).split(whereSeparator: \.isNewline).first else { throw .damaged(path: path) }
        return String(line)
    }
}

private let secretFiles = SimulatedStores.all.filter { $0 is any SharedSecretStore.Type }.map {
    (store: $0.provider, name: "\($0.provider).key")
}

public enum WorkspaceError: Error, Equatable, CustomStringConvertible {
    case missing(path: String)
    /// A file is not there, although the folder is: a server that starts for the first time needs seconds for its keys.
    case unfinished(path: String)
    case damaged(path: String)
    case file(SmallFileError)
    case crypto(CryptoError)

    public var description: String {
        switch self {
        case .missing(let path): "there is no \(path): run this in the folder of a server started with --dev"
        case .unfinished(let path):
            "there is no \(path) yet: wait until the development server says that it listens, or start it again"
        case .damaged(let path): "\(path) is damaged: delete it, and the development server makes a new one"
        case .file(let error): "cannot use the development workspace: \(error)"
        case .crypto(let error): "cannot make the development authority: \(error)"
        }
    }
}
