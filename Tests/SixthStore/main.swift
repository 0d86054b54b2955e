import FoundationEssentials
import Server
import Stores
import Support

// Paycast with a store more than it ships with: `serve`, with the folder `Paddle/` in the list.
Signals.block()
var words = CommandLine.arguments.dropFirst(2)
var flags: [String: String] = [:]
while let name = words.popFirst(), let value = words.popFirst() { flags[name] = value }
let configuration = try Configuration(
    flags: flags,
    environment: ProcessInfo.processInfo.environment,
    stores: Stores.all + [PaddleStore.self]
)
_ = try Server(configuration).run()
