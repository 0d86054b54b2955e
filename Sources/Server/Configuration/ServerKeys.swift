internal import API
internal import Crypto
internal import Domain
internal import Simulator
internal import Support

/// All keys of a server: the configured ones or, in development, those that the workspace created.
struct ServerKeys {
    /// Nil outside development.
    let workspace: DevelopmentWorkspace?
    /// The bearer keys of the API routes. The server itself uses the first one for the demo.
    let apiKeys: [String]
    let streamNames: StreamNameVerifier?

    init(_ configuration: Configuration) throws(StartError) {
        self.init(configuration, in: try configuration.isDevelopment ? ServerKeys.openWorkspace() : nil)
    }

    init(_ configuration: Configuration, in workspace: DevelopmentWorkspace?) {
        self.workspace = workspace
        let given = configuration.apiKeys.map(\.value)
        apiKeys = given.isEmpty ? (workspace.map { [$0.apiKey] } ?? []) : given
        streamNames = StreamNameVerifier(keys: ServerKeys.streamKeys(configuration, workspace: workspace))
    }

    func authorization(_ origins: Allowlist<String>) -> Authorization {
        Authorization(keys: apiKeys, streamNames: streamNames, origins: origins)
    }

    private static func openWorkspace() throws(StartError) -> DevelopmentWorkspace {
        do throws(WorkspaceError) {
            return try DevelopmentWorkspace.open(in: ".")
        } catch {
            throw .workspace(error)
        }
    }

    /// Text keys come before the keys derived from a Rails app's secret, so they sign: an operator who sets both wants
    /// stream names that are signed separately.
    private static func streamKeys(
        _ configuration: Configuration,
        workspace: DevelopmentWorkspace?
    ) -> [StreamNameVerifier.Key] {
        var keys = configuration.streamKeys.map { StreamNameVerifier.Key(text: $0.value) }
        if let secret = configuration.secretKeyBase?.value {
            keys.append(StreamNameVerifier.Key(secretKeyBase: secret, with: .sha256))
            keys.append(StreamNameVerifier.Key(secretKeyBase: secret, with: .sha1))
        }
        if keys.isEmpty, let workspace { keys.append(StreamNameVerifier.Key(text: workspace.streamKey)) }
        return keys
    }
}
