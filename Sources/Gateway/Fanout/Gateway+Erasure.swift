public import Concurrency
public import Domain
internal import Hub
internal import Pages

extension Gateway {
    /// Users were erased on another node: their messages are forgotten, and their pages reload. `isErased` is called
    /// for each stream that a page follows, on a thread of `workers`, because it computes a digest.
    public func reloadPages(on workers: WorkerPool, where isErased: @escaping @Sendable (StreamName) -> Bool) {
        for port in ports {
            port.send(
                .change { hub in
                    // A page that subscribes after this reads of the erasure in the ledger.
                    hub.forgetRecentMessages()
                    let search: @Sendable () -> Void = { [streams = hub.streams] in
                        let erased = streams.filter(isErased)
                        port.send(.change { hub in erased.map { hub.erased($0) } })
                    }
                    if !workers.submit(search) { search() }
                    return []
                }
            )
        }
    }
}

extension Hub {
    fileprivate mutating func erased(_ stream: StreamName) -> Message {
        erase(stream)
        return Message(stream: stream, position: nil, parts: [.refresh])
    }
}
