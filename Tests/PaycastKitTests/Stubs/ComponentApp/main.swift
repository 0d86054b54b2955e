import HotwireNative
import PaycastKit
import WebKit

// The component, with a store and a server in memory: which pages it hears, and what an open page is told of a purchase that ends
// long after its question. It ends with an error at the first thing that is otherwise.

final class Origin: WKSecurityOrigin {
    private let name: String

    init(_ name: String) { self.name = name }

    override var `protocol`: String { "https" }
    override var host: String { name }
    override var port: Int { 0 }
}

final class Frame: WKFrameInfo {
    private let isMain: Bool
    private let origin: Origin

    init(isMain: Bool, host: String) { (self.isMain, origin) = (isMain, Origin(host)) }

    override var isMainFrame: Bool { isMain }
    override var securityOrigin: WKSecurityOrigin { origin }
}

/// As WebKit hands over what the script of `PageFrames` tells.
final class Said: WKScriptMessage {
    private let message: Message
    private let frame: Frame

    init(_ message: Message, in frame: Frame) { (self.message, self.frame) = (message, frame) }

    override var body: Any {
        ["component": message.component, "id": message.id, "event": message.event, "data": [String: String]()]
    }
    override var frameInfo: WKFrameInfo { frame }
}

func expect(_ isSo: Bool, _ what: String, _ replies: [Message]) {
    guard !isSo else { return }
    fatalError("\(what): \(replies.map(\.jsonData))")
}

let store = TestStore([StoreProduct(id: "pro", name: "Pro", displayPrice: "$9.99")])
let purchases = Purchases.inMemory(store: store, opening: ["pro": ["pro"]])
let component = PaywallComponent()
PaywallComponent.purchases = purchases
PaywallComponent.frames = PageFrames(origins: ["https://shop.example.com"])
// The app knows its user; the pages name nobody.
purchases.logIn("test")

@MainActor
func hear(_ id: String, _ event: String, in frame: Frame?) {
    let message = Message(id: id, component: "paywall", event: event, jsonData: "{}")
    if let frame {
        let said = Said(message, in: frame)
        PaywallComponent.frames.userContentController(WKUserContentController(), didReceive: said)
    }
    component.onReceive(message: message)
}

/// Until the newest reply is as it should be: each is an answer to the message that it names.
@MainActor
func wait(for what: String, _ isSo: (Message) -> Bool) async {
    while !(component.replies.last.map(isSo) ?? false) { await Task.yield() }
    print("ok", what)
}

let own = Frame(isMain: true, host: "shop.example.com")
for frame in [nil, Frame(isMain: false, host: "shop.example.com"), Frame(isMain: true, host: "ads.example")] {
    hear("1", "state", in: frame)
}
hear("2", "state", in: own)
await wait(for: "the own page is answered") { $0.id == "2" && $0.jsonData.contains(#""purchases":[]"#) }
expect(component.replies.allSatisfy { $0.id == "2" }, "nobody else is", component.replies)

await store.answer(.success(.pending))
expect((try? await purchases.buy("pro")) == .pending, "Ask to Buy", component.replies)
await wait(for: "the open page is told what waits") { $0.id == "2" && $0.jsonData.contains(#""status":"pending""#) }
await store.bring("pro")
await wait(for: "and that it has ended") {
    $0.id == "2" && $0.event == "state" && $0.jsonData.contains(#""purchases":[]"#)
}
