internal import Domain

extension LedgerStore {
    /// Remembers the language that a user reads; the last one counts. Returns the user when the language is new.
    func note(_ language: LanguageTag, of user: UserID) throws(SQLiteError) -> [UserID] {
        guard try statements.language.language(of: user) != language else { return [] }
        try statements.putLanguage.run([Value(user), .text(language.text)])
        return [user]
    }

    /// Fills in the users' languages, including those that this transaction has noted.
    func written(_ fragments: [Fragment]) throws(SQLiteError) -> [Fragment] {
        try streams.written(fragments) { user throws(SQLiteError) in try statements.language.language(of: user) }
    }
}

extension LedgerQueries {
    func language(of user: UserID) throws(LedgerError) -> LanguageTag? {
        try snapshot { _ throws(SQLiteError) in try statements.language.language(of: user) }
    }

    func written(_ fragments: [Fragment]) throws(LedgerError) -> [Fragment] {
        try snapshot { _ throws(SQLiteError) in try now(fragments) }
    }

    /// Stored fragments in the languages that their users read now.
    func written(_ found: [PlacedFragment]) throws(SQLiteError) -> [PlacedFragment] {
        var found = found
        let fragments = try now(found.map(\.fragment))
        for index in found.indices { found[index].fragment = fragments[index] }
        return found
    }

    private func now(_ fragments: [Fragment]) throws(SQLiteError) -> [Fragment] {
        try streams.written(fragments) { user throws(SQLiteError) in try statements.language.language(of: user) }
    }
}

extension Statement {
    /// `SELECT tag FROM languages WHERE user = ?`.
    func language(of user: UserID) throws(SQLiteError) -> LanguageTag? {
        try first([Value(user)]) { row in LanguageTag(row.text(0)) } ?? nil
    }
}

extension StreamPattern {
    /// Fills in the user's language in the fragments of a user's stream; every other stream has none. Asks once for
    /// consecutive fragments of one stream.
    fileprivate func written(
        _ fragments: [Fragment],
        _ language: (UserID) throws(SQLiteError) -> LanguageTag?
    ) throws(SQLiteError) -> [Fragment] {
        var written = fragments
        var asked: (stream: StreamName, language: LanguageTag?)?
        for index in written.indices where written[index].hasNoLanguage {
            let stream = written[index].stream
            if asked?.stream != stream {
                let user = user(of: stream)
                asked = (stream, try user.map { user throws(SQLiteError) in try language(user) } ?? nil)
            }
            written[index] = written[index].written(in: asked?.language)
        }
        return written
    }
}
