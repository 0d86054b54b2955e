/// What is to be shown and could not be yet. Nothing is dropped for that.
struct WaitingMessages<Message> {
    private var waiting: [Message] = []

    mutating func append(_ message: Message) { waiting.append(message) }

    /// In the order of their arrival; what throws is shown the next time.
    mutating func show(_ display: (Message) throws -> Void) {
        waiting = waiting.filter { message in
            do {
                try display(message)
                return false
            } catch {
                return true
            }
        }
    }
}
