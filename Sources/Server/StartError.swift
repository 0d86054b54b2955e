public import Gateway
public import Ledger
public import Pages
public import Simulator
public import Stores

/// The reason why the server did not start. Each text says what to do.
public enum StartError: Error, CustomStringConvertible {
    case ledger(LedgerError)
    case templates(TemplateProblems)
    case store(StoreError)
    case gateway(SocketSetupError)
    case workspace(WorkspaceError)

    public var description: String {
        switch self {
        case .ledger(let error): error.description
        case .templates(let problems): problems.description
        case .store(let error): error.description
        case .gateway(let error): error.description
        case .workspace(let error): error.description
        }
    }
}
