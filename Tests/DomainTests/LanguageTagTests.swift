import Domain
import Testing

@Suite struct LanguageTagTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var given: String
        var text: String
        var fallbacks: [String]
        var testDescription: String { given }

        init(_ given: String, text: String, fallbacks: String...) {
            self.given = given
            self.text = text
            self.fallbacks = fallbacks
        }
    }

    @Test(arguments: [
        Case("de", text: "de"), Case("DE", text: "de"), Case("fil", text: "fil"),
        Case("pt-BR", text: "pt-BR", fallbacks: "pt"), Case("PT-br", text: "pt-BR", fallbacks: "pt"),
        Case("pt_BR", text: "pt-BR", fallbacks: "pt"),
        Case("es-419", text: "es-419", fallbacks: "es"), Case("zh-hant", text: "zh-Hant", fallbacks: "zh"),
        Case("zh-Hant-TW", text: "zh-Hant-TW", fallbacks: "zh-Hant", "zh"),
        Case("ZH_HANT_tw", text: "zh-Hant-TW", fallbacks: "zh-Hant", "zh"),
        Case("ca-valencia", text: "ca"), Case("de-1996", text: "de"), Case("sl-rozaj-biske", text: "sl"),
        Case("de-CH-1901-x-mine", text: "de-CH", fallbacks: "de"),
        Case("en-US-u-ca-gregory-hc-h12", text: "en-US", fallbacks: "en"),
        Case("de-x-a", text: "de"),
    ])
    func readsATag(_ example: Case) {
        let tag = LanguageTag(example.given)
        #expect(tag?.text == example.text)
        #expect(tag?.description == example.text)
        #expect(tag?.fallbacks.map(\.text) == [example.text] + example.fallbacks)
        #expect(tag == LanguageTag(example.text))
    }

    @Test(arguments: [
        "", "-", "d", "d-DE", "deutsch", "german", "annual", "de-", "-de", "de--AT", "de-A", "de-u", "de-AT-x",
        "i-klingon",
        "x-mine", "zh-cmn-Hans", "de AT", " de", "de\n", "de\u{0}", "de.AT", "../de", "de/..", "de_DE.UTF-8",
        "en_US@calendar=buddhist", "d\u{E9}", "\u{FF44}e", "\u{212A}a", "de-\u{212A}A", "de-AT,en;q=0.9", "*", "12",
        "419",
        "de-ab1", "de-abcdefghi", "de-u-abcdefghi",
        "de-" + String(repeating: "abcdefgh-", count: 7) + "ab", "de-x-" + String(repeating: "a", count: 1_000_000),
    ])
    func refusesOtherText(_ text: String) {
        #expect(LanguageTag(text) == nil)
    }
}
