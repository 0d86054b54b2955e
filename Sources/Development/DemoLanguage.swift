internal import Domain

/// The languages of the demo's app, and what its page says outside the templates.
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

    /// The text that the app shows in place of the server's error message. If empty, it shows that message.
    var trouble: String {
        switch self {
        case .english: ""
        case .german: "Das hat nicht geklappt. Versuch es gleich noch einmal."
        }
    }

    /// A button for each language, with this one pressed.
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
