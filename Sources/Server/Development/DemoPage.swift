import API
import Crypto
import Domain
import Encoding
import Glibc
import HTTP
import Ledger
import Pages
import Simulator
import Stores
import Support

/// The demo page, rendered for a user as an app's own server would: it reads the position first, then the state. It blocks.
struct DemoPage: Sendable {
    /// Who asked for it, and what a phone buys with.
    private struct Reader {
        let request: Request
        let user: String
        let stream: StreamName
        let signedName: String
        let language: LanguageTag?
        let order: Order?

        var isPhone: Bool { DemoPage.isPhone(request) }
    }

    private struct NoAnswer: Error {}

    let core: ServerCore

    func response(to request: Request) -> Response { (try? page(for: request)) ?? .noDemo }

    private func page(for request: Request) throws -> Response {
        let user = request.query["user"].flatMap { isValidIdentifier($0, limit: 64) ? $0 : nil } ?? "demo"
        guard let stream = core.configuration.streamPattern.stream(for: UserID(user)) else { throw NoAnswer() }
        // Ignores a language that the app does not speak: half of the page would be in another one.
        if let language = request.query["locale"].flatMap({ LanguageTag($0) }),
            DemoLanguage.of(language) != nil
        {
            return try speak(language, to: user, on: stream)
        }
        let order = try DemoPage.isPhone(request) ? order(for: user) : nil
        let locale = try? core.reader.answer { try $0.locale(of: UserID(user)) }
        let reader = Reader(
            request: request,
            user: user,
            stream: stream,
            signedName: signedName(of: stream, of: UserID(user)),
            language: locale?.language,
            order: order
        )
        let missed = answer { core.reader.missed(on: stream, since: .nothing, completion: $0) }
        guard let missed, let page = template else { throw NoAnswer() }
        return Response(
            status: 200,
            headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(render(page, for: reader, missed: missed).utf8)
        )
    }

    /// The phone's app buys from its store with an order, which its backend makes before it renders the page. It names
    /// no group, so it fits every plan. The same request again gives the same order.
    private func order(for user: String) throws -> Order? {
        var wish = OrderRequest(user: UserID(user), product: SimulatedProduct.annual.id)
        (wish.provider, wish.kind) = (.apple, .subscription)
        let made = Promise<Order?>()
        guard core.writer.submit(.order(wish) { made.fulfil((try? $0.get())?.order) }) else { throw NoAnswer() }
        return made.wait()
    }

    private static func isPhone(_ request: Request) -> Bool { request.query["device"] == "phone" }

    /// Keeps the choice, makes the user's other pages reload, and redirects the browser to an address without the
    /// choice: two pages that each chose their language again on every load would reload each other forever.
    private func speak(_ language: LanguageTag, to user: String, on stream: StreamName) throws -> Response {
        let locales = UserLocales(writer: core.writer, reader: core.reader)
        guard let isNews = answer({ locales.note(UserLocale(language: language), of: UserID(user), completion: $0) })
        else {
            throw NoAnswer()
        }
        let refresh = Fragment(stream: stream, action: "refresh", content: .none)
        if isNews { _ = answer { core.writer.submit(.broadcast([refresh], completion: $0)) } }
        return DemoPage.redirect(to: user)
    }

    static func redirect(to user: String) -> Response {
        let name = user.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return Response(status: 303, headers: [("Location", "/?user=\(name)")])
    }

    private var template: String? {
        contents(of: "\(core.configuration.publicFolder ?? "public")/demo/index.html")
            ?? Assets.demo["index.html"].map { String(decoding: $0, as: UTF8.self) }
    }

    private func signedName(of stream: StreamName, of user: UserID) -> String {
        let stored = (try? core.reader.answer { try $0.ending(of: user) }) ?? 0
        let ending = core.endedPages.last(of: user, stored: stored, in: core.writer.epoch)
        return core.keys.streamNames?.sign(stream, after: ending) ?? ""
    }

    private func render(_ page: String, for reader: Reader, missed: MissedFragments) -> String {
        let newest = missed.items.flatMap(\.fragments)
        let (user, isPhone) = (reader.user, reader.isPhone)
        let app = DemoLanguage.of(reader.language) ?? DemoLanguage.all[0]
        let values = [
            "user": HTMLEscaping.escape(user),
            "console": "/console/enter?next="
                + PercentEncoding.encode("/console/users/" + PercentEncoding.encode(user)),
            "device": isPhone ? "phone" : "",
            // In an app, Hotwire Native runs this before the page's own scripts.
            "bridge": isPhone ? "<script src=\"/demo/bridge.js\"></script>" : "",
            "buyer": reader.order.map { buyer(of: $0, for: reader) } ?? "",
            "epoch": missed.through.epoch,
            // The page around the simulated app is English.
            "page_language": isPhone ? app.tag : "en",
            "language": app.tag,
            "languages": app.choice,
            "tagline": app.tagline,
            "trouble": app.trouble,
            "stores": DemoPage.stores,
            "source": source(for: reader, since: missed.through),
            "paywall": element(.paywall, newest: newest, for: reader),
            "subscription_status": element(.subscriptionStatus, newest: newest, for: reader),
            "extras": extras(newest: newest, for: reader, app: app),
        ]
        // In one pass, because an inserted value may look like a placeholder itself.
        return page.split(separator: "{{", omittingEmptySubsequences: false).enumerated().map { number, piece in
            guard number > 0, let end = piece.firstRange(of: "}}"), let value = values[String(piece[..<end.lowerBound])]
            else { return number > 0 ? "{{\(piece)" : String(piece) }
            return value + piece[end.upperBound...]
        }.joined()
    }

    /// The members of a native purchase of this page.
    private func buyer(of order: Order, for reader: Reader) -> String {
        "data-paycast-order=\"\(order.token)\" data-paycast-stream=\"\(HTMLEscaping.escape(reader.signedName))\""
    }

    /// A WebSocket, since a browser opens only six connections of other kinds to a server, for all its tabs.
    private func source(for reader: Reader, since: Cursor) -> String {
        let request = reader.request
        let scheme = request.scheme ?? (core.configuration.tls == nil ? .http : .https)
        let name = AddressText.queryEscaped(reader.signedName)
        let address = "\(scheme.webSocket)://\(AddressText.host(request.host))/streams?name=\(name)&since=\(since)"
        return SourceElement.markup(of: reader.stream, address: address)
    }

    /// The stores to choose from, each with the steps for which it has events.
    private static let stores = Stores.sellers.map { store in
        let steps = LifecycleEventNames(store.provider).steps.map(\.rawValue).joined(separator: " ")
        return "<option value=\"\(store.provider.rawValue)\" data-steps=\"\(steps)\">\(store.title)</option>"
    }.joined()

    /// What the demo's catalog sells beside the plans. The phone is too small for it, and another catalog or folder of templates
    /// may not have it.
    private func extras(newest: [Fragment], for reader: Reader, app: DemoLanguage) -> String {
        guard !reader.isPhone, let maps = EntitlementName("maps"), catalog.entitlements.contains(maps),
            let prints = SimulatedProduct.extras.last, catalog[prints.id] != nil,
            core.templates.renderer.element(.paywall, for: .paywall, values: [:]) != nil
        else { return "" }
        return """
            <div class="extras">
            \(element(.paywall, of: maps, newest: newest, for: reader))
            <section class="card offer extra" aria-labelledby="prints-title">
                <h2 id="prints-title">\(app.prints.title)</h2>
                <p>\(app.prints.text)</p>
                <form data-subscribe method="post" action="/demo/store">
                    <input type="hidden" name="user" value="\(HTMLEscaping.escape(reader.user))">
                    <input type="hidden" name="step" value="initial">
                    <input type="hidden" name="product" value="\(prints.id)">
                    <button class="primary" type="submit">\(app.prints.button)</button>
                </form>
                <div id="purchase" aria-live="polite"></div>
            </section>
            </div>
            """
    }

    private var catalog: Catalog { core.configuration.accessPolicy.catalog }

    /// The content that the newest fragment put into this target, or the offers for a user who never bought.
    private func element(
        _ target: PageTarget,
        of entitlement: EntitlementName? = nil,
        newest: [Fragment],
        for reader: Reader
    ) -> String {
        let id = target.id(of: entitlement ?? catalog.main, in: catalog)
        let fragment = newest.last { $0.target == id }
        if case .template(let name, let values)? = fragment?.content, let name = FragmentName(rawValue: name),
            let bytes = core.templates.renderer.element(name, at: id, values: values)
        {
            return String(decoding: bytes, as: UTF8.self)
        }
        var values = ["user": reader.user, TemplateValues.locale: reader.language?.text ?? ""]
        values[TemplateValues.entitlement] = entitlement?.description
        let offer = core.templates.renderer.element(.paywall, at: id, values: values)
        return String(decoding: offer ?? Array("<div id=\"\(id)\"></div>".utf8), as: UTF8.self)
    }
}

extension Response {
    fileprivate static var noDemo: Response {
        .error(404, code: "no_demo", message: "The ledger gives no answer; try again.")
    }
}

/// A language of the demo's app, and what its page says outside the templates.
struct DemoLanguage: Sendable {
    static let all = [
        DemoLanguage(
            tag: "en",
            name: "English",
            tagline: "Photo journal",
            trouble: "",
            prints: ("Ten prints", "Of the pictures that you like best. Order as often as you want.", "Order for $9.99")
        ),
        DemoLanguage(
            tag: "de",
            name: "Deutsch",
            tagline: "Fototagebuch",
            trouble: "Das hat nicht geklappt. Versuch es gleich noch einmal.",
            prints: (
                "Zehn Abzüge", "Von den Bildern, die dir am besten gefallen. So oft du willst.", "Für 9,99 $ bestellen"
            )
        ),
    ]

    let tag: String
    let name: String
    let tagline: String
    /// The text that the app shows in place of the server's error message. If empty, it shows that message.
    let trouble: String
    /// The card of what is used up.
    let prints: (title: String, text: String, button: String)

    /// Nil if the app does not speak it.
    static func of(_ tag: LanguageTag?) -> DemoLanguage? { all.first { $0.tag == tag?.language } }

    /// A button for each language, with this one pressed.
    var choice: String {
        DemoLanguage.all.map { language in
            "<button name=\"locale\" value=\"\(language.tag)\" lang=\"\(language.tag)\" "
                + "aria-pressed=\"\(language.tag == tag)\">\(language.name)</button>"
        }.joined()
    }
}
