internal import Domain

extension LedgerStore {
    /// What was said last counts. Returns the user, when it is news.
    func note(_ language: LanguageTag, of user: UserID) throws(SQLiteError) -> [UserID] {
        guard try statements.language.language(of: user) != language else { return [] }
        try statements.putLanguage.run([Value(user), .text(language.text)])
        return [user]
    }

    /// Fragments as those who follow them read them: read after all that the transaction has noted.
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

    /// What was committed in whatever language, in the one of now.
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
    /// A user's stream has the user's language, every other stream none. Asks once for each stream in a row.
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
