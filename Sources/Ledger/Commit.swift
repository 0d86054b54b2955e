internal import Domain

/// What one command put into the running transaction. Nothing of it is true before COMMIT.
struct Commit<Value> {
    var value: Value
    var entries: [Entry] = []
    /// How many more contracts have no user.
    var unclaimed = 0
    /// Who reads another language from now on.
    var readers: [UserID] = []
}
