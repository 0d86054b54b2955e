/// How a browser interprets an attribute's value, and so whether an escaped value is safe in it.
enum AttributeKind: Equatable {
    case text
    /// A URL, in which `javascript:` would be code.
    case address
    /// Code, or the URL of code: escaping does not help. `place` is its name in an error.
    case code(place: String)

    /// Both names are in lower case.
    init(_ attribute: String, on element: String) {
        if attribute.hasPrefix("data-") {
            // Scripts read these; a browser does nothing with them by itself.
            self = .text
        } else if codeAttributes.contains(attribute) || codePrefixes.contains(where: attribute.hasPrefix) {
            self = .code(place: "the attribute \(attribute)")
        } else if codeElements.contains(element) {
            self = .code(place: "the attribute \(attribute) of <\(element)>")
        } else {
            self = addressAttributes.contains(attribute) ? .address : .text
        }
    }
}

private let codeAttributes: Set<String> = ["style", "srcdoc"]

/// Event handlers, and attributes that Alpine, Vue, Angular and htmx evaluate.
private let codePrefixes = ["on", "@", ":", "x-", "v-", "ng-", "hx-on"]

/// Elements whose attributes choose what runs: they load code or styles, change the base of every URL in the page, load
/// another page (`http-equiv`), or set attributes of other elements (SVG's animations).
private let codeElements: Set<String> = [
    "animate", "animatemotion", "animatetransform", "applet", "base", "embed", "link", "meta", "object", "param",
    "script", "set",
]

/// Attributes whose value is a URL (https://html.spec.whatwg.org/multipage/indices.html#attributes-3), including
/// obsolete ones that browsers still know.
private let addressAttributes: Set<String> = [
    "action", "attributionsrc", "background", "cite", "classid", "codebase", "data", "dynsrc", "formaction", "href",
    "icon", "imagesrcset", "longdesc", "lowsrc", "manifest", "ping", "poster", "profile", "src", "srcset", "usemap",
    "xlink:href", "xml:base",
]
