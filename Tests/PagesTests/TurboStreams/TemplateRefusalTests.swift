import Testing

@testable import Pages

/// What a value could make of a template is refused when the template is read, whatever the values will be.
@Suite struct TemplateRefusalTests {
    struct Refusal: CustomTestStringConvertible {
        var source: String
        /// How the error begins.
        var says: String
        var testDescription: String { source }
    }

    @Test(arguments: [
        Refusal(source: "<p>{{user</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{user}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>\n{{}}</p>", says: "line 2: a placeholder is"),
        Refusal(source: "<p>{{a b}}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{a|raw}}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{a or}}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{a orb}}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{a or <}}b</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<p>{{a or {{b}}}}</p>", says: "line 1: a placeholder is"),
        Refusal(source: "<a href=\"{{a or b}}\">x</a>", says: "line 1: an address cannot begin with words"),
        Refusal(source: "<p>{{{user}}}</p>", says: "line 1: {{{…}}} does not exist"),
    ])
    func refusesWhatIsNoPlaceholder(_ refusal: Refusal) {
        let error = #expect(throws: MarkupError.self) { try Template(Array(refusal.source.utf8)) }
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }

    @Test(arguments: [
        Refusal(source: "<p>\nAnn <{{user}}></p>", says: "line 2: what follows this <"),
        Refusal(source: "<p><{{ user }}</p>", says: "line 1: what follows this <"),
        Refusal(source: "<p>{{a}}<{{b}}</p>", says: "line 1: what follows this <"),
        Refusal(source: "<p><<!-- x -->{{v}}</p>", says: "line 1: what follows this <"),
        Refusal(source: "<p><<!-- x -->img title={{v}}></p>", says: "line 1: what follows this <"),
        Refusal(source: "<p></{{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p><!{{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p><?{{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<textarea></{{v}}></textarea>", says: "line 1: what follows this <"),
        Refusal(source: "<p title={{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p title=a{{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p {{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p {{v}}=\"a\"></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p data-{{v}}=\"a\"></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p{{v}}></p>", says: "line 1: inside a tag"),
        Refusal(source: "<p></p{{v}}>", says: "line 1: inside a tag"),
        Refusal(source: "<p>\n<!-- {{v}} --></p>", says: "line 2: nobody sees a value in a comment"),
        Refusal(source: "<!-- {{v}} --><p></p>", says: "line 1: nobody sees a value in a comment"),
        Refusal(source: "<p></p>\n<!-- {{v}} -->", says: "line 2: nobody sees a value in a comment"),
    ])
    func refusesAValueThatCouldMakeATag(_ refusal: Refusal) {
        let error = #expect(throws: MarkupError.self) { try Template(Array(refusal.source.utf8)) }
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }

    @Test(arguments: [
        Refusal(source: "<script>x = '{{v}}'</script>", says: "line 1: a value cannot stand in <script>,"),
        Refusal(source: "<style>a{color:{{v}}}</style>", says: "line 1: a value cannot stand in <style>,"),
        Refusal(source: "<svg><style>a{color:{{v}}}</style></svg>", says: "line 1: a value cannot stand in <style>,"),
        Refusal(source: "<iframe>{{v}}</iframe>", says: "line 1: a value cannot stand in <iframe>,"),
        Refusal(
            source: "<p onclick=\"f('{{v}}')\"></p>",
            says: "line 1: a value cannot stand in the attribute onclick,"
        ),
        Refusal(source: "<p ONTOGGLE='{{v}}'></p>", says: "line 1: a value cannot stand in the attribute ontoggle,"),
        Refusal(source: "<p STYLE=\"a:{{v}}\"></p>", says: "line 1: a value cannot stand in the attribute style,"),
        Refusal(
            source: "<iframe srcdoc=\"{{v}}\"></iframe>",
            says: "line 1: a value cannot stand in the attribute srcdoc,"
        ),
        Refusal(source: "<p @click=\"f('{{v}}')\"></p>", says: "line 1: a value cannot stand in the attribute @click,"),
        Refusal(
            source: "<p x-data=\"{a:'{{v}}'}\"></p>",
            says: "line 1: a value cannot stand in the attribute x-data,"
        ),
        Refusal(source: "<p :title=\"'{{v}}'\"></p>", says: "line 1: a value cannot stand in the attribute :title,"),
        Refusal(
            source: "<script src=\"{{v}}\"></script>",
            says: "line 1: a value cannot stand in the attribute src of <script>,"
        ),
        Refusal(
            source: "<script src=\"/{{v}}\"></script>",
            says: "line 1: a value cannot stand in the attribute src of <script>,"
        ),
        Refusal(source: "<link href=\"{{v}}\">", says: "line 1: a value cannot stand in the attribute href of <link>,"),
        Refusal(source: "<base href=\"{{v}}\">", says: "line 1: a value cannot stand in the attribute href of <base>,"),
        Refusal(
            source: "<object data=\"{{v}}\"></object>",
            says: "line 1: a value cannot stand in the attribute data of <object>,"
        ),
        Refusal(
            source: "<meta content=\"0;url={{v}}\">",
            says: "line 1: a value cannot stand in the attribute content of <meta>,"
        ),
        Refusal(
            source: "<svg><set to=\"{{v}}\"/></svg>",
            says: "line 1: a value cannot stand in the attribute to of <set>,"
        ),
        Refusal(
            source: "<svg><animate values=\"{{v}}\"/></svg>",
            says: "line 1: a value cannot stand in the attribute values of <animate>,"
        ),
    ])
    func refusesAValueInCode(_ refusal: Refusal) {
        let error = #expect(throws: MarkupError.self) { try Template(Array(refusal.source.utf8)) }
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }

    @Test(arguments: [
        Refusal(
            source: "<a href=\" java\nscript:{{v}}\">x</a>",
            says: "line 2: a value cannot stand in a javascript: address,"
        ),
        Refusal(source: "<a href=\"DATA:{{v}}\">x</a>", says: "line 1: a value cannot stand in a data: address,"),
        Refusal(source: "<a href=\"java{{v}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(source: "<a href=\"{{v}}:{{w}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(source: "<a href=\"{{v}}{{w}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(source: "<a href=\"{{v}}&#58;{{w}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(source: "<a href=\"&#{{v}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(source: "<a href=\"&{{v}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(
            source: "<a href=\"&#106;avascript:{{v}}\">x</a>",
            says: "line 1: href must begin with /"
        ),
        Refusal(source: "<a href=\"java&Tab;script:{{v}}\">x</a>", says: "line 1: href must begin with /"),
        Refusal(
            source: "<button formaction='a{{v}}'></button>",
            says: "line 1: formaction must begin with /"
        ),
        Refusal(source: "<svg><a xlink:href='a{{v}}'/></svg>", says: "line 1: xlink:href must begin with /"),
        Refusal(source: "<img srcset='{{a}} 2x'>", says: "line 1: srcset must begin with /"),
    ])
    func refusesAValueThatCouldMakeAScheme(_ refusal: Refusal) {
        let error = #expect(throws: MarkupError.self) { try Template(Array(refusal.source.utf8)) }
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }

    @Test(arguments: [
        ("<p>\n\n<{{v}}></p>", "line 3: what follows this < could turn it into a tag; write &lt;"),
        ("<p>\n\n<!-- {{v}} --></p>", "line 3: nobody sees a value in a comment; take the {{…}} out of it"),
    ])
    func saysWhereAndWhatToDo(_ source: String, text: String) {
        let error = #expect(throws: MarkupError.self) { try Template(Array(source.utf8)) }
        #expect(error?.description == text)
    }
}
