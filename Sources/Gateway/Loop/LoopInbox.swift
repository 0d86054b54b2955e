import Pages

/// What a loop has taken out of its port and has not handled yet.
struct LoopInbox {
    /// The next one last, so that taking it moves none of the others. So are the answers.
    private var mail: [LoopPort.Mail] = []
    private var answers: [LoopPort.Answered] = []

    var hasMail: Bool { !mail.isEmpty }
    var isEmpty: Bool { mail.isEmpty && answers.isEmpty }

    /// Takes what has arrived only when everything before is done, so that the order holds.
    mutating func nextAnswer(from port: LoopPort) -> LoopPort.Answered? {
        if answers.isEmpty { answers = port.takeAnswers().reversed() }
        return answers.popLast()
    }

    /// Takes one item of mail, or nil if the mailbox is empty; from an item with several publications, only the first. While
    /// published messages wait to be written, it takes nothing but more messages: all else comes after them.
    mutating func nextMail(from port: LoopPort, besideUnwritten isBeside: Bool) -> LoopPort.Mail? {
        if mail.isEmpty { mail = port.takeMail().reversed() }
        guard let next = mail.last, !isBeside || next.mayJoin else { return nil }
        switch next {
        case .publish(let publications, let owed) where publications.count > 1:
            mail[mail.count - 1] = .publish(publications.dropFirst(), owed: owed)
            return .publish(publications.prefix(1), owed: 0)
        case .broadcast(let messages, let owed) where messages.count > 1:
            mail[mail.count - 1] = .broadcast(messages.dropFirst(), owed: owed)
            return .broadcast(messages.prefix(1), owed: 0)
        default: return mail.removeLast()
        }
    }
}

extension LoopPort.Mail {
    /// Whether it may be published before earlier messages are written. An erasure drops what its user's pages have not been
    /// sent yet.
    fileprivate var mayJoin: Bool {
        switch self {
        case .publish(let publications, _): publications.first?.isErasure == false
        case .broadcast: true
        case .catchUp, .run: false
        }
    }
}
