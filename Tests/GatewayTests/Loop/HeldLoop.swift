import Support

@testable import Gateway

/// Keeps a gateway's first loop from doing anything, so that what is sent to it meanwhile waits for one turn.
final class HeldLoop {
    private let released = Promise<Void>()

    init(of gateway: Gateway) {
        let held = Promise<Void>()
        gateway.ports[0].send(
            .run { [released] _ in
                held.fulfil(())
                released.wait()
            }
        )
        held.wait()
    }

    func release() { released.fulfil(()) }
}
