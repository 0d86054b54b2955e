import Testing

@testable import Pages

/// What a value could make of a template is refused when the template is read, whatever the values will be.
@Suite struct TemplateRefusalTests {
    struct Refusal: CustomTestStringConvertible {
        var source: String
        var error: TemplateError
        var testDescription: String { source }
    }

    @Test(arguments: [
        Refusal(source: "<p>{{user</p>", error: .placeholder(line: 1)),
        Refusal(source: "<p>{{user}</p>", error: .placeholder(line: 1)),
        Refusal(source: "<p>\n{{}}</p>", error: .placeholder(line: 2)),
        Refusal(source: "<p>{{a b}}</p>", error: .placeholder(line: 1)),
        Refusal(source: "<p>{{a|raw}}</p>", error: .placeholder(line: 1)),
        Refusal(source: "<p>{{{user}}}</p>", error: .tripleBraces(line: 1)),
    ])
    func refusesWhatIsNoPlaceholder(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try Template(Array(refusal.source.utf8)) }
    }

    @Test(arguments: [
        Refusal(source: "<p>\nAnn <{{user}}></p>", error: .openBracket(line: 2)),
        Refusal(source: "<p><{{ user }}</p>", error: .openBracket(line: 1)),
        Refusal(source: "<p>{{a}}<{{b}}</p>", error: .openBracket(line: 1)),
        Refusal(source: "<p><<!-- x -->{{v}}</p>", error: .openBracket(line: 1)),
        Refusal(source: "<p><<!-- x -->img title={{v}}></p>", error: .openBracket(line: 1)),
        Refusal(source: "<p></{{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p><!{{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p><?{{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<textarea></{{v}}></textarea>", error: .openBracket(line: 1)),
        Refusal(source: "<p title={{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p title=a{{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p {{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p {{v}}=\"a\"></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p data-{{v}}=\"a\"></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p{{v}}></p>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p></p{{v}}>", error: .placeholderInTag(line: 1)),
        Refusal(source: "<p>\n<!-- {{v}} --></p>", error: .placeholderInComment(line: 2)),
        Refusal(source: "<!-- {{v}} --><p></p>", error: .placeholderInComment(line: 1)),
        Refusal(source: "<p></p>\n<!-- {{v}} -->", error: .placeholderInComment(line: 2)),
    ])
    func refusesAValueThatCouldMakeATag(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try Template(Array(refusal.source.utf8)) }
    }

    @Test(arguments: [
        Refusal(source: "<script>x = '{{v}}'</script>", error: code("<script>")),
        Refusal(source: "<style>a{color:{{v}}}</style>", error: code("<style>")),
        Refusal(source: "<svg><style>a{color:{{v}}}</style></svg>", error: code("<style>")),
        Refusal(source: "<iframe>{{v}}</iframe>", error: code("<iframe>")),
        Refusal(source: "<p onclick=\"f('{{v}}')\"></p>", error: code("the attribute onclick")),
        Refusal(source: "<p ONTOGGLE='{{v}}'></p>", error: code("the attribute ontoggle")),
        Refusal(source: "<p STYLE=\"a:{{v}}\"></p>", error: code("the attribute style")),
        Refusal(source: "<iframe srcdoc=\"{{v}}\"></iframe>", error: code("the attribute srcdoc")),
        Refusal(source: "<p @click=\"f('{{v}}')\"></p>", error: code("the attribute @click")),
        Refusal(source: "<p x-data=\"{a:'{{v}}'}\"></p>", error: code("the attribute x-data")),
        Refusal(source: "<p :title=\"'{{v}}'\"></p>", error: code("the attribute :title")),
        Refusal(source: "<script src=\"{{v}}\"></script>", error: code("the attribute src of <script>")),
        Refusal(source: "<script src=\"/{{v}}\"></script>", error: code("the attribute src of <script>")),
        Refusal(source: "<link href=\"{{v}}\">", error: code("the attribute href of <link>")),
        Refusal(source: "<base href=\"{{v}}\">", error: code("the attribute href of <base>")),
        Refusal(source: "<object data=\"{{v}}\"></object>", error: code("the attribute data of <object>")),
        Refusal(source: "<meta content=\"0;url={{v}}\">", error: code("the attribute content of <meta>")),
        Refusal(source: "<svg><set to=\"{{v}}\"/></svg>", error: code("the attribute to of <set>")),
        Refusal(
            source: "<svg><animate values=\"{{v}}\"/></svg>",
            error: code("the attribute values of <animate>")
        ),
    ])
    func refusesAValueInCode(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try Template(Array(refusal.source.utf8)) }
    }

    @Test(arguments: [
        Refusal(source: "<a href=\" java\nscript:{{v}}\">x</a>", error: code("a javascript: address", line: 2)),
        Refusal(source: "<a href=\"DATA:{{v}}\">x</a>", error: code("a data: address")),
        Refusal(source: "<a href=\"java{{v}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(source: "<a href=\"{{v}}:{{w}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(source: "<a href=\"{{v}}{{w}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(source: "<a href=\"{{v}}&#58;{{w}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(source: "<a href=\"&#{{v}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(source: "<a href=\"&{{v}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(
            source: "<a href=\"&#106;avascript:{{v}}\">x</a>",
            error: .addressPrefix(line: 1, attribute: "href")
        ),
        Refusal(source: "<a href=\"java&Tab;script:{{v}}\">x</a>", error: .addressPrefix(line: 1, attribute: "href")),
        Refusal(
            source: "<button formaction='a{{v}}'></button>",
            error: .addressPrefix(line: 1, attribute: "formaction")
        ),
        Refusal(source: "<svg><a xlink:href='a{{v}}'/></svg>", error: .addressPrefix(line: 1, attribute: "xlink:href")),
        Refusal(source: "<img srcset='{{a}} 2x'>", error: .addressPrefix(line: 1, attribute: "srcset")),
    ])
    func refusesAValueThatCouldMakeAScheme(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try Template(Array(refusal.source.utf8)) }
    }

    @Test(arguments: [
        (TemplateError.openBracket(line: 3), "line 3: what follows this < could turn it into a tag; write &lt;"),
        (.placeholderInComment(line: 3), "line 3: nobody sees a value in a comment; take the {{…}} out of it"),
    ])
    func saysWhereAndWhatToDo(_ error: TemplateError, text: String) {
        #expect(error.description == text)
    }

    private static func code(_ place: String, line: Int = 1) -> TemplateError {
        .placeholderInCode(line: line, place: place)
    }
}
