import Testing

@testable import Pages

@Suite struct HTMLScannerTests {
    struct Case: CustomTestStringConvertible {
        var source: String
        /// Kind and source of each token.
        var tokens: [String]
        var testDescription: String { source }
    }

    @Test(arguments: [
        Case(source: "", tokens: []),
        Case(source: "a < b & c", tokens: ["text a < b & c"]),
        Case(source: "<p>x</p>", tokens: ["open <p>", "text x", "close </p>"]),
        Case(source: "<A B='>' c=\">\">", tokens: ["open <A B='>' c=\">\">"]),
        Case(source: "<a =b=c>", tokens: ["open <a =b=c>"]),
        Case(source: "<!-->x", tokens: ["comment <!-->", "text x"]),
        Case(source: "<!--->x", tokens: ["comment <!--->", "text x"]),
        Case(source: "<!-- <b> --!>x", tokens: ["comment <!-- <b> --!>", "text x"]),
        Case(source: "</ b>x</>", tokens: ["comment </ b>", "text x", "comment </>"]),
        Case(source: "<!doctype html>", tokens: ["comment <!doctype html>"]),
        Case(
            source: "<script>if (a</b>c) '</scripts>'</SCRIPT >",
            tokens: ["open <script>", "raw if (a</b>c) '</scripts>'", "close </SCRIPT >"]
        ),
        Case(
            source: "<textarea></template></textarea>",
            tokens: ["open <textarea>", "raw </template>", "close </textarea>"]
        ),
    ])
    func readsAsABrowserDoes(_ example: Case) throws {
        var scanner = HTMLScanner(example.source)
        var tokens: [String] = []
        while let token = try scanner.next() {
            let kind =
                switch token.kind {
                case .text: "text"
                case .rawText: "raw"
                case .comment: "comment"
                case .open: "open"
                case .close: "close"
                }
            tokens.append("\(kind) \(scanner.string(token.range))")
        }
        #expect(tokens == example.tokens)
    }

    struct Unfinished {
        var source: String
        var error: HTMLSyntaxError
    }

    @Test(arguments: [
        Unfinished(source: "\n<a href=\"x>", error: .unfinishedTag(line: 2)),
        Unfinished(source: "<a href=", error: .unfinishedTag(line: 1)),
        Unfinished(source: "<a", error: .unfinishedTag(line: 1)),
        Unfinished(source: "x\n\n<!-- ->", error: .unfinishedComment(line: 3)),
        Unfinished(source: "<style>b{}</styl>", error: .unclosed(element: "style", line: 1)),
        Unfinished(source: "<plaintext>x</plaintext>", error: .unclosed(element: "plaintext", line: 1)),
    ])
    func refusesWhatWouldSwallowTheRestOfThePage(_ example: Unfinished) {
        #expect(throws: example.error) {
            var scanner = HTMLScanner(example.source)
            while try scanner.next() != nil {}
        }
    }

    @Test func splitsIntoElements() throws {
        let source = Array("<!-- a -->\n<p id=a><b>x</b><br></p> <svg id='b'><path/></svg>".utf8)
        let elements = try HTMLElement.topLevel(of: source)
        #expect(elements.map(\.id) == ["a", "b"])
        #expect(
            elements.map { String(decoding: source[$0.range], as: UTF8.self) } == [
                "<p id=a><b>x</b><br></p>", "<svg id='b'><path/></svg>",
            ]
        )
    }

    @Test(arguments: [
        Unfinished(source: "<p>", error: .unclosed(element: "p", line: 1)),
        Unfinished(source: "<div/>", error: .unclosed(element: "div", line: 1)),
        Unfinished(source: "<p></p></p>", error: .strayEndTag(element: "p", line: 1, open: nil)),
        Unfinished(source: "<b>\n<i></b></i>", error: .strayEndTag(element: "b", line: 2, open: "i")),
        Unfinished(source: "<b></b>\nx", error: .textOutsideElements(line: 1)),
    ])
    func refusesUnbalancedElements(_ example: Unfinished) {
        #expect(throws: example.error) { try HTMLElement.topLevel(of: Array(example.source.utf8)) }
    }
}
