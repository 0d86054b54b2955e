public import Domain
public import LedgerInterface

extension LedgerQueries {
    public func language(of user: UserID) throws(LedgerError) -> LanguageTag? {
        try snapshot { _ throws(EngineError) in try statements.language.language(of: user) }
    }

    public func written(_ fragments: [Fragment]) throws(LedgerError) -> [Fragment] {
        try snapshot { _ throws(EngineError) in try now(fragments) }
    }

    /// Stored fragments in the languages that their users read now.
    func written(_ found: [PlacedFragment]) throws(EngineError) -> [PlacedFragment] {
        var found = found
        let fragments = try now(found.map(\.fragment))
        for index in found.indices { found[index].fragment = fragments[index] }
        return found
    }

    private func now(_ fragments: [Fragment]) throws(EngineError) -> [Fragment] {
        try streams.written(fragments) { user throws(EngineError) in try statements.language.language(of: user) }
    }
}

extension Statement {
    /// `SELECT tag FROM languages WHERE user = ?`.
    func language(of user: UserID) throws(EngineError) -> LanguageTag? {
        try first([Value(user)]) { row in LanguageTag(row.text(0)) } ?? nil
    }
}
