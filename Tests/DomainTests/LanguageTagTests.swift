import Domain
import Testing

@Suite struct LanguageTagTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var given: String
        var text: String
        var fallbacks: [String]
        var testDescription: String { given }

        init(_ given: String, _ text: String, _ fallbacks: String...) {
            self.given = given
            self.text = text
            self.fallbacks = fallbacks
        }
    }

    @Test(arguments: [
        Case("de", "de"), Case("DE", "de"), Case("fil", "fil"),
        Case("pt-BR", "pt-BR", "pt"), Case("PT-br", "pt-BR", "pt"), Case("pt_BR", "pt-BR", "pt"),
        Case("es-419", "es-419", "es"), Case("zh-hant", "zh-Hant", "zh"),
        Case("zh-Hant-TW", "zh-Hant-TW", "zh-Hant", "zh"), Case("ZH_HANT_tw", "zh-Hant-TW", "zh-Hant", "zh"),
        Case("ca-valencia", "ca"), Case("de-1996", "de"), Case("sl-rozaj-biske", "sl"),
        Case("de-CH-1901-x-mine", "de-CH", "de"), Case("en-US-u-ca-gregory-hc-h12", "en-US", "en"),
        Case("de-x-a", "de"),
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
    func refusesWhatIsNone(_ text: String) {
        #expect(LanguageTag(text) == nil)
    }
}
