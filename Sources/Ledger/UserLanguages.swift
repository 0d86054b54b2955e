public import Domain

/// Which language each user reads, as the app said last.
public struct UserLanguages: Sendable {
    private let writer: LedgerWriter
    private let reader: LedgerReader

    public init(writer: LedgerWriter, reader: LedgerReader) {
        (self.writer, self.reader) = (writer, reader)
    }

    /// Writes nothing when it is known already. False, and no completion, when the ledger is full or closing.
    ///
    /// The completion runs on one of the ledger's threads, after the commit: with whether it was news, or why it was not
    /// committed.
    public func note(
        _ language: LanguageTag,
        of user: UserID,
        completion: @escaping @Sendable (Result<Bool, LedgerError>) -> Void
    ) -> Bool {
        reader.language(of: user) { [writer] known in
            switch known {
            case .success(language): completion(.success(false))
            case .success:
                let command = LedgerCommand.language(language, of: user) { completion($0.map { true }) }
                if !writer.submit(command) { completion(.failure(.busy)) }
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
