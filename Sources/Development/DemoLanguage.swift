internal import Domain

/// The languages of the demo's app, and what its page says outside of the templates.
enum DemoLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    init(_ tag: LanguageTag?) {
        self = tag.flatMap { DemoLanguage(rawValue: $0.language) } ?? .english
    }

    var tagline: String {
        switch self {
        case .english: "Photo journal"
        case .german: "Fototagebuch"
        }
    }

    /// What the app says when the server has said something else; empty: the same.
    var trouble: String {
        switch self {
        case .english: ""
        case .german: "Das hat nicht geklappt. Versuch es gleich noch einmal."
        }
    }

    /// A button for each language, this one pressed.
    var choice: String {
        DemoLanguage.allCases.map { language in
            let tag = language.rawValue
            return "<button name=\"locale\" value=\"\(tag)\" lang=\"\(tag)\" "
                + "aria-pressed=\"\(language == self)\">\(language.name)</button>"
        }.joined()
    }

    private var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }
}
