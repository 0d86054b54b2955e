internal import Domain

/// What one command put into the running transaction. None of it holds before COMMIT.
struct Commit<Value> {
    var value: Value
    var entries: [Entry] = []
    /// The change in the number of contracts without a user.
    var unclaimed = 0
    /// The users whose language has changed.
    var readers: [UserID] = []
}
