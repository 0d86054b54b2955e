public import Domain

/// Turns fragments into the `<turbo-stream>` elements that pages receive, using the templates of one moment.
public struct TemplateRenderer: Sendable {
    private let templates: TemplateLookup

    public init(templates: TemplateLookup) { self.templates = templates }

    /// Returns one complete element in UTF-8, or all the elements that a publisher wrote.
    ///
    /// If there is no template, the page is told to reload, so that the app's own server renders the current state. If
    /// a template has no banner, the banner on the page is emptied, so that a stale one never stays.
    public func render(_ fragment: Fragment) -> [UInt8] {
        switch fragment.content {
        case .markup(let markup): return Array(markup.utf8)
        case .none: return StreamElement(fragment).bytes { _ in }
        case .html(let html):
            return StreamElement(fragment).bytes(withTemplate: true) { $0.append(contentsOf: html.utf8) }
        case .template(let name, let values):
            switch templates.find(name, action: fragment.action, target: fragment.target, values: values) {
            case .template(let template):
                let values = values.written(for: template, named: name)
                return StreamElement(fragment).bytes(withTemplate: true) { template.append(values, to: &$0) }
            case .otherTargets where fragment.target == PageTarget.subscriptionStatus.rawValue:
                return StreamElement(action: "update", target: fragment.target).bytes(withTemplate: true) { _ in }
            case .otherTargets, .nothing: return TemplateRenderer.refresh
            }
        }
    }

    /// What a fragment brings to a page, without the `<turbo-stream>` around it, unless a publisher wrote that too; nil if
    /// it brings nothing, or makes the page reload.
    public func content(of fragment: Fragment) -> [UInt8]? {
        switch fragment.content {
        case .markup(let text), .html(let text): return Array(text.utf8)
        case .none: return nil
        case .template(let name, let values):
            return filled(name, action: fragment.action, target: fragment.target, values: values)
        }
    }

    /// The element that a fragment would put on a page, for a page that is rendered whole; nil if it has no template.
    public func element(_ name: FragmentName, for target: PageTarget, values: [String: String]) -> [UInt8]? {
        filled(name.rawValue, action: "replace", target: target.rawValue, values: values)
    }

    private func filled(_ name: String, action: String, target: String?, values: [String: String]) -> [UInt8]? {
        let found = templates.find(name, action: action, target: target, values: values)
        guard case .template(let template) = found else { return nil }
        var bytes: [UInt8] = []
        template.append(values.written(for: template, named: name), to: &bytes)
        return bytes
    }

    /// Makes every stock client reload its page.
    public static let refresh = StreamElement(action: "refresh").bytes { _ in }
}

extension [String: String] {
    /// The values of a state change, with the date and price that `template` shows written in the user's language. A
    /// broadcast's own values stay as its publisher wrote them.
    fileprivate func written(for template: Template, named name: String) -> [String: String] {
        guard FragmentName(rawValue: name) != nil,
            let language = self[TemplateValues.locale].flatMap({ LanguageTag($0) })
        else { return self }
        var values = self
        if template.shows("access_until"), let end = self["access_until_iso"] {
            values["access_until"] = LocalFormat.of(language).date(end) ?? self["access_until"]
        }
        if template.shows("price"), let price = self["price"] {
            values["price"] = LocalFormat.of(language).price(price, currency: self["currency"] ?? "") ?? price
        }
        return values
    }
}

/// The element around a fragment: https://turbo.hotwired.dev/reference/streams
private struct StreamElement {
    var action: String
    var target: String?
    var targets: String?

    init(action: String, target: String? = nil) {
        self.action = action
        self.target = target
    }

    init(_ fragment: Fragment) {
        action = fragment.action
        target = fragment.target
        targets = fragment.targets
    }

    func bytes(withTemplate: Bool = false, content: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = Array("<turbo-stream".utf8)
        for case (let name, let value?) in [("action", action), ("target", target), ("targets", targets)] {
            bytes.append(contentsOf: " \(name)=\"".utf8)
            HTMLEscaping.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        if withTemplate {
            bytes.append(contentsOf: "<template>".utf8)
            content(&bytes)
            bytes.append(contentsOf: "</template>".utf8)
        }
        bytes.append(contentsOf: "</turbo-stream>".utf8)
        return bytes
    }
}

/// One element of a template file, parsed once into literals and the names of the values between them.
///
/// Values are always escaped, and allowed only where escaping is enough: in text and in quoted attributes.
struct Template: Equatable {
    enum Segment: Equatable {
        case literal([UInt8])
        case value(String)
        /// A value at the start of a URL (`href="{{url}}"`), where `javascript:` would be code.
        case address(String)
    }

    let segments: [Segment]

    init(_ source: [UInt8]) throws(MarkupError) { try self.init(source, range: source.indices) }

    /// `values` are the names that the template may use; nil allows any, because they come with a broadcast.
    init(_ source: [UInt8], range: Range<Int>, values: Set<String>? = nil) throws(MarkupError) {
        segments = try TemplateCompiler.segments(of: range, in: source, values: values)
    }

    func shows(_ value: String) -> Bool { segments.contains(.value(value)) || segments.contains(.address(value)) }

    /// A name that has no value shows nothing.
    func append(_ values: [String: String], to bytes: inout [UInt8]) {
        for segment in segments {
            switch segment {
            case .literal(let literal): bytes.append(contentsOf: literal)
            case .value(let name): HTMLEscaping.append(values[name] ?? "", to: &bytes)
            case .address(let name):
                let address = values[name] ?? ""
                HTMLEscaping.append(HarmlessAddress.accepts(address) ? address : "#", to: &bytes)
            }
        }
    }
}

/// Decides whether a value may begin a URL: `javascript:` would be code.
enum HarmlessAddress {
    private static let schemes: Set<String> = ["http", "https", "mailto", "tel"]

    /// True for a relative URL and for one of `schemes`; a template that needs another scheme spells it out.
    static func accepts(_ address: String) -> Bool {
        guard let scheme = scheme(of: address) else { return true }
        return schemes.contains(scheme)
    }

    /// The scheme as a browser reads it: browsers drop leading controls and spaces, and line breaks and tabs anywhere
    /// (https://url.spec.whatwg.org/#concept-basic-url-parser).
    static func scheme(of address: String) -> String? {
        let visible = address.utf8.drop { $0 <= 32 }.filter { ![9, 10, 13].contains($0) }
        guard let end = visible.firstIndex(where: { ":/?#".utf8.contains($0) }), visible[end] == UInt8(ascii: ":")
        else { return nil }
        return String(decoding: visible[..<end], as: UTF8.self).lowercased()
    }
}

/// Turns text into HTML that shows exactly this text, inside an element or a quoted attribute.
public enum HTMLEscaping {
    public static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
            default: bytes.append(byte)
            }
        }
    }
}
