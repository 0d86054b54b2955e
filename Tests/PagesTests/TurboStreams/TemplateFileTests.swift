import Domain
import Testing

@testable import Pages

@Suite struct TemplateFileTests {
    @Test(arguments: FragmentName.allCases)
    func everyNameNeedsTheTargetThatItExistsFor(_ name: FragmentName) throws {
        let required = name.requiredTarget
        let other = PageTarget.allCases.first { $0 != required }
        let good = "<p id=\"\(required.rawValue)\">x</p>"
        let both = good + "\n<!-- and -->\n<p id=\"\(other?.rawValue ?? "")\">y</p>"
        #expect(try TemplateFile(key: name.rawValue, source: Array(good.utf8)).roots.count == 1)
        #expect(try TemplateFile(key: name.rawValue + ".de", source: Array(both.utf8)).roots.count == 2)
        #expect(throws: TemplateError.missingTarget(required.rawValue)) {
            try TemplateFile(key: name.rawValue, source: Array("<p id=\"\(other?.rawValue ?? "")\">x</p>".utf8))
        }
    }

    struct Refusal {
        var key = "success"
        var source: String
        var error: TemplateError
    }

    @Test(arguments: [
        Refusal(source: "", error: .missingTarget("paywall")),
        Refusal(source: "<p>x</p>", error: .rootWithoutTarget(element: "p", id: nil)),
        Refusal(source: "<p id=\"pay\">x</p>", error: .rootWithoutTarget(element: "p", id: "pay")),
        Refusal(source: "<p id=\"{{target}}\">x</p>", error: .rootWithoutTarget(element: "p", id: "{{target}}")),
        Refusal(source: "<p id=\"paywall\">x</p>\nThanks", error: .syntax(.textOutsideElements(line: 1))),
        Refusal(source: "<p id=\"paywall\">", error: .syntax(.unclosed(element: "p", line: 1))),
        Refusal(source: "<p id=\"paywall\"></p><p id=\"paywall\"></p>", error: .duplicateID("paywall")),
        Refusal(source: "\n<p id=\"paywall\">\n{{x</p>", error: .placeholder(line: 3)),
        Refusal(key: "news", source: "", error: .notOneRoot(count: 0)),
        Refusal(key: "news", source: "<p id=a></p><p id=b></p>", error: .notOneRoot(count: 2)),
        Refusal(key: "news", source: "<p>x</p>", error: .rootWithoutID(element: "p")),
        Refusal(key: "news", source: "<p id=\"{{a}}\">x</p>", error: .rootWithoutID(element: "p")),
        Refusal(key: "Success", source: "<p id=\"paywall\"></p>", error: .fileName),
        Refusal(key: "success copy", source: "<p id=\"paywall\"></p>", error: .fileName),
        Refusal(key: "success.", source: "<p id=\"paywall\"></p>", error: .fileName),
    ])
    func refuses(_ refusal: Refusal) {
        #expect(throws: refusal.error) {
            try TemplateFile(key: refusal.key, source: Array(refusal.source.utf8))
        }
    }

    struct Value {
        var key = "success"
        var name: String
        var error: TemplateError?
    }

    @Test(arguments: [
        Value(name: "usr", error: .unknownValue(line: 2, name: "usr", nearest: "user")),
        Value(name: "User", error: .unknownValue(line: 2, name: "User", nearest: "user")),
        Value(name: "acces_until", error: .unknownValue(line: 2, name: "acces_until", nearest: "access_until")),
        Value(name: "headline", error: .unknownValue(line: 2, name: "headline", nearest: nil)),
        Value(key: "success.de", name: "usr", error: .unknownValue(line: 2, name: "usr", nearest: "user")),
        // What a broadcast brings is its publisher's business.
        Value(key: "news", name: "usr"),
        Value(name: "user"), Value(name: "access_until_iso"), Value(name: "reason"),
    ])
    func knowsTheValuesOfAState(_ value: Value) {
        let places = [
            "<p id=\"paywall\">\n{{\(value.name)}}</p>", "<p id=\"paywall\"\ntitle=\"{{ \(value.name) }}\"></p>",
        ]
        for source in places {
            do throws(TemplateError) {
                _ = try TemplateFile(key: value.key, source: Array(source.utf8))
                #expect(value.error == nil)
            } catch {
                #expect(error == value.error)
            }
        }
    }

    /// A page's template whose name is a slip is told of by its name, not by what broadcasts would need.
    @Test func leavesAMisnamedPageToTheWarning() throws {
        let page = "<p id=\"paywall\">x</p><p id=\"subscription_status\">y</p>"
        #expect(try TemplateFile(key: "sucess.de", source: Array(page.utf8)).roots.count == 2)
        #expect(throws: TemplateError.notOneRoot(count: 2)) { try TemplateFile(key: "news", source: Array(page.utf8)) }
        #expect(throws: TemplateError.rootWithoutID(element: "p")) {
            try TemplateFile(key: "sucess", source: Array("<p>x</p>".utf8))
        }
    }

    @Test func refusesWhatIsNotUTF8() {
        #expect(throws: TemplateError.notUTF8) {
            try TemplateFile(key: "success", source: Array("<p id=\"paywall\">".utf8) + [0xFF] + Array("</p>".utf8))
        }
    }

    @Test func forgivesAByteOrderMark() throws {
        let file = try TemplateFile(key: "success", source: [0xEF, 0xBB, 0xBF] + Array("<p id=\"paywall\"></p>".utf8))
        #expect(file.roots["paywall"]?.segments == [.literal(Array("<p id=\"paywall\"></p>".utf8))])
    }
}
