import Testing

@testable import Pages

@Suite struct TemplateTests {
    struct Case {
        var source: String
        var values: [String: String] = [:]
        var result: String
    }

    @Test(arguments: [
        Case(source: "<p>a</p>", result: "<p>a</p>"),
        Case(source: "<p>{{user}}, {{ user }}!</p>", values: ["user": "Ann"], result: "<p>Ann, Ann!</p>"),
        Case(source: "<p>{{unknown}}</p>", result: "<p></p>"),
        Case(source: "<p>{{a or the full version}}</p>", result: "<p>the full version</p>"),
        Case(source: "<p>{{ a  or  all & more }}.</p>", values: ["a": ""], result: "<p>all & more.</p>"),
        Case(source: "<p>{{a or b}}</p>", values: ["a": "<"], result: "<p>&lt;</p>"),
        Case(source: "<p title='{{a or \"b\"}}'>{{or}}</p>", values: ["or": "1"], result: "<p title='\"b\"'>1</p>"),
        Case(source: "<a href=\"/{{a or b}}\">x</a>", result: "<a href=\"/b\">x</a>"),
        Case(source: "<p title=\"{{a}}\" id='x{{a}}'></p>", values: ["a": "1"], result: "<p title=\"1\" id='x1'></p>"),
        Case(source: "<p><!-- { } } -->a<!-- b --></p>", result: "<p>a</p>"),
        Case(source: "<p>1 < {{a}} <3</p>", values: ["a": "2"], result: "<p>1 < 2 <3</p>"),
        Case(source: "<p title=\"<{{a}}\"></p>", values: ["a": "b"], result: "<p title=\"<b\"></p>"),
        Case(
            source: "<script data-user=\"{{a}}\">f()</script>",
            values: ["a": "b"],
            result: "<script data-user=\"b\">f()</script>"
        ),
        Case(source: "<a href=\"/?a=1&b={{u}}\">x</a>", values: ["u": "7"], result: "<a href=\"/?a=1&b=7\">x</a>"),
        Case(source: "<p>{ {a} }} } {</p>", values: ["a": "1"], result: "<p>{ {a} }} } {</p>"),
        Case(source: "<style>@media{a{}}</style>", result: "<style>@media{a{}}</style>"),
        Case(
            source: "<a href=\"{{u}}\">x</a>",
            values: ["u": "/plans?a=1&b=2"],
            result: "<a href=\"/plans?a=1&amp;b=2\">x</a>"
        ),
        Case(
            source: "<a href=\"{{u}}/x\">x</a>",
            values: ["u": "HTTPS://a.b"],
            result: "<a href=\"HTTPS://a.b/x\">x</a>"
        ),
        Case(source: "<a href=\"shop:{{u}}\">x</a>", values: ["u": "7"], result: "<a href=\"shop:7\">x</a>"),
    ])
    func fillsInValues(_ example: Case) throws {
        #expect(try render(example.source, values: example.values) == example.result)
    }

    struct Attack: CustomTestStringConvertible {
        var name: String
        var source: String
        var value: String
        var result: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Attack(
            name: "a user named like an element",
            source: "<p>{{v}}</p>",
            value: "<script>alert(1)</script>",
            result: "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"
        ),
        Attack(
            name: "a product that closes the template",
            source: "<p>{{v}}</p>",
            value: "</template></turbo-stream>",
            result: "<p>&lt;/template&gt;&lt;/turbo-stream&gt;</p>"
        ),
        Attack(
            name: "a user that ends a double-quoted attribute",
            source: "<p title=\"{{v}}\"></p>",
            value: "\" onmouseover=\"alert(1)",
            result: "<p title=\"&quot; onmouseover=&quot;alert(1)\"></p>"
        ),
        Attack(
            name: "a user that ends a single-quoted attribute",
            source: "<p title='{{v}}'></p>",
            value: "' onmouseover='alert(1)",
            result: "<p title='&#39; onmouseover=&#39;alert(1)'></p>"
        ),
        Attack(
            name: "a value that looks escaped already",
            source: "<p>{{v}}</p>",
            value: "&lt;b&gt;",
            result: "<p>&amp;lt;b&amp;gt;</p>"
        ),
        Attack(
            name: "a value that holds a placeholder",
            source: "<p>{{v}}{{w}}</p>",
            value: "{{v}}{{",
            result: "<p>{{v}}{{</p>"
        ),
        Attack(
            name: "a value that ends a textarea",
            source: "<textarea>{{v}}</textarea>",
            value: "</textarea><b>",
            result: "<textarea>&lt;/textarea&gt;&lt;b&gt;</textarea>"
        ),
        Attack(
            name: "an address that is code",
            source: "<a href=\"{{v}}\">x</a>",
            value: "javascript:alert(1)",
            result: "<a href=\"#\">x</a>"
        ),
        Attack(
            name: "an address that hides its code",
            source: "<a href=\"{{v}}\">x</a>",
            value: "\u{1} JaVa\tScr\nipt:alert(1)",
            result: "<a href=\"#\">x</a>"
        ),
        Attack(
            name: "an address that is a document",
            source: "<iframe src=\"{{v}}\"></iframe>",
            value: "data:text/html,<script>alert(1)</script>",
            result: "<iframe src=\"#\"></iframe>"
        ),
    ])
    func keepsAttacksText(_ attack: Attack) throws {
        #expect(try render(attack.source, values: ["v": attack.value]) == attack.result)
    }

    private func render(_ source: String, values: [String: String]) throws -> String {
        var bytes: [UInt8] = []
        try Template(Array(source.utf8)).append(values, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
