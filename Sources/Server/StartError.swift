public import Crypto
public import Gateway
public import Ledger
public import Providers
public import Simulator
public import TurboStreams

/// Why the server did not start; each says what to do.
public enum StartError: Error, CustomStringConvertible {
    case ledger(LedgerError)
    case templates(TemplateProblems)
    case apple(AppleConfigurationError)
    case roots(TrustedRootsError)
    case gateway(GatewayError)
    case workspace(WorkspaceError)

    public var description: String {
        switch self {
        case .ledger(let error): error.description
        case .templates(let problems): problems.description
        case .apple(let error): error.description
        case .roots(let error): error.description
        case .gateway(let error): error.description
        case .workspace(let error): error.description
        }
    }
}
