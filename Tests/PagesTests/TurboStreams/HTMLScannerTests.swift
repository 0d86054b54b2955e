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
        /// How the error begins.
        var says: String
    }

    @Test(arguments: [
        Unfinished(source: "\n<a href=\"x>", says: "line 2: a tag begins here"),
        Unfinished(source: "<a href=", says: "line 1: a tag begins here"),
        Unfinished(source: "<a", says: "line 1: a tag begins here"),
        Unfinished(source: "x\n\n<!-- ->", says: "line 3: a comment begins here"),
        Unfinished(source: "<style>b{}</styl>", says: "line 1: <style> is never closed"),
        Unfinished(source: "<plaintext>x</plaintext>", says: "line 1: <plaintext> is never closed"),
    ])
    func refusesWhatWouldSwallowTheRestOfThePage(_ example: Unfinished) {
        let error = #expect(throws: MarkupError.self) {
            var scanner = HTMLScanner(example.source)
            while try scanner.next() != nil {}
        }
        #expect(error?.description.hasPrefix(example.says) == true)
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
        Unfinished(source: "<p>", says: "line 1: <p> is never closed"),
        Unfinished(source: "<div/>", says: "line 1: <div> is never closed"),
        Unfinished(source: "<p></p></p>", says: "line 1: </p> closes nothing"),
        Unfinished(source: "<b>\n<i></b></i>", says: "line 2: </b> stands where <i> is still open"),
        Unfinished(source: "<b></b>\nx", says: "line 1: text stands outside of an element"),
    ])
    func refusesUnbalancedElements(_ example: Unfinished) {
        let error = #expect(throws: MarkupError.self) { try HTMLElement.topLevel(of: Array(example.source.utf8)) }
        #expect(error?.description.hasPrefix(example.says) == true)
    }
}
