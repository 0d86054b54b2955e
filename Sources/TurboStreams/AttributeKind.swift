/// What a browser makes of an attribute's value, and so whether an escaped value may stand in it.
enum AttributeKind: Equatable {
    case text
    /// Where `javascript:` would be code.
    case address
    /// Code, or the address of code: escaping does not help. `place` is what to call it in an error.
    case code(place: String)

    /// Both names are in lower case.
    init(_ attribute: String, on element: String) {
        if attribute.hasPrefix("data-") {
            // For scripts to read; nothing happens by itself.
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

/// Event handlers, and what Alpine, Vue, Angular and htmx evaluate.
private let codePrefixes = ["on", "@", ":", "x-", "v-", "ng-", "hx-on"]

/// Elements whose attributes choose what runs: they load code or styles, move every address of the page, load another
/// page (`http-equiv`), or give other elements their attributes (SVG's animations).
private let codeElements: Set<String> = [
    "animate", "animatemotion", "animatetransform", "applet", "base", "embed", "link", "meta", "object", "param",
    "script", "set",
]

/// Attributes whose value is an address: https://html.spec.whatwg.org/multipage/indices.html#attributes-3, and the
/// obsolete ones that browsers know.
private let addressAttributes: Set<String> = [
    "action", "attributionsrc", "background", "cite", "classid", "codebase", "data", "dynsrc", "formaction", "href",
    "icon", "imagesrcset", "longdesc", "lowsrc", "manifest", "ping", "poster", "profile", "src", "srcset", "usemap",
    "xlink:href", "xml:base",
]
