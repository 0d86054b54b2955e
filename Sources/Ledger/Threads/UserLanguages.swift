public import Domain

/// The language that each user reads, as the app last said.
public struct UserLanguages: Sendable {
    private let writer: LedgerWriter
    private let reader: LedgerReader

    public init(writer: LedgerWriter, reader: LedgerReader) {
        self.writer = writer
        self.reader = reader
    }

    /// Writes nothing when the language is known already. Returns false, and runs no completion, when the ledger is
    /// full or closing.
    ///
    /// The completion runs on one of the ledger's threads, after the commit. It gets whether the language was new, or
    /// why it was not committed.
    public func note(_ language: LanguageTag, of user: UserID, completion: @escaping LedgerAnswer<Bool>) -> Bool {
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
