public import Domain

/// How each user reads, as the app last said.
public struct UserLocales: Sendable {
    private let writer: LedgerWriter
    private let reader: LedgerReader

    public init(writer: LedgerWriter, reader: LedgerReader) {
        self.writer = writer
        self.reader = reader
    }

    /// Writes nothing when all that is said is known already. Returns false, and runs no completion, when the ledger is
    /// full or closing.
    ///
    /// The completion runs on one of the ledger's threads, after the commit. It gets whether it was news, or
    /// why it was not committed.
    public func note(_ said: UserLocale, of user: UserID, completion: @escaping LedgerAnswer<Bool>) -> Bool {
        reader.ask({ try $0.locale(of: user) }) { [writer] known in
            switch known {
            case .success(let known) where known.updated(with: said) == known: completion(.success(false))
            case .success:
                let command = LedgerCommand.locale(said, of: user) { completion($0.map { true }) }
                if !writer.submit(command) { completion(.failure(.busy)) }
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
