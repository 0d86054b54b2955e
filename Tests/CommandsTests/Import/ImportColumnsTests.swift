import Testing

@testable import Commands

@Suite struct ImportColumnsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        /// Part of what is told; nil for a row that is read.
        var flaw: String?
    }

    private func rows(_ text: String) throws -> [Result<ImportedRow, ImportedRow.Flaw>] {
        var reader = try RecordReaderTests.reader(Array(text.utf8), size: 100)
        let columns = reader.form == .csv ? try ImportColumns(header: try reader.next()) : .jsonLines
        var rows: [Result<ImportedRow, ImportedRow.Flaw>] = []
        while let record = try reader.next() {
            rows.append(Result { () throws(ImportedRow.Flaw) in try columns.row(record) })
        }
        return rows
    }

    @Test(arguments: [
        Case(testDescription: "in another order", text: "id,app,user,store\n1000000000000001,com.example,42,apple\n"),
        Case(
            testDescription: "numbers in JSON",
            text: #"{"user":42,"store":"apple","id":1000000000000001,"app":"com.example"}"#
        ),
        Case(testDescription: "too few fields", text: "user,store,id\n42,apple\n", flaw: "2 fields, the first line 3"),
        Case(testDescription: "an empty field", text: "user,store,id\n,apple,1\n", flaw: "user is missing"),
        Case(
            testDescription: "another's name of a store",
            text: "user,store,id\n42,app_store,1\n",
            flaw: "no store can be asked that is named “app_store”. Choose one of apple, google, stripe"
        ),
        Case(
            testDescription: "a store that is not asked",
            text: "user,store,id\n42,revenuecat,1\n",
            flaw: "no store can be asked"
        ),
        Case(testDescription: "a control character", text: "user,store,id\n4\u{1}2,apple,1\n", flaw: "1 to 255 bytes"),
        Case(
            testDescription: "a control character of two bytes in an app",
            text: "user,store,id,app\n42,apple,1,a\u{85}b\n",
            flaw: "an app has 1 to 255 bytes and no control characters"
        ),
        Case(
            testDescription: "an id of NULs",
            text: "user,store,id\n42,google,\(String(repeating: "\0", count: 44_000))\n",
            flaw: "an id has 1 to 1024 bytes and no control characters"
        ),
        Case(
            testDescription: "an escaped NUL",
            text: #"{"user":"42","store":"google","id":"a\u0000b"}"#,
            flaw: "an id has 1 to 1024 bytes and no control characters"
        ),
        Case(
            testDescription: "an id that is too long",
            text: "user,store,id\n42,google,\(String(repeating: "x", count: 1025))\n",
            flaw: "an id has 1 to 1024 bytes and no control characters"
        ),
        Case(
            testDescription: "a stray quote",
            text: "user,store,id\n4\"2\",apple,1\n",
            flaw: "a quote is not closed, or stands within a field"
        ),
        Case(testDescription: "no JSON", text: "{\"user\":\n", flaw: "it is no JSON object in UTF-8"),
        Case(
            testDescription: "a list",
            text: "{\"user\":[1],\"store\":\"apple\",\"id\":\"1\"}\n",
            flaw: "user is neither"
        ),
        Case(
            testDescription: "a fraction",
            text: "{\"user\":\"1\",\"store\":\"apple\",\"id\":2.0E15}\n",
            flaw: "id is neither"
        ),
        Case(
            testDescription: "another member",
            text: "{\"user\":\"1\",\"plan\":\"x\"}\n",
            flaw: "“plan” is no member of a row"
        ),
        Case(
            testDescription: "a member twice",
            text: "{\"user\":\"1\",\"user\":\"2\"}\n",
            flaw: "a member stands there twice"
        ),
    ]) func reads(_ example: Case) throws {
        let row = try #require(try rows(example.text).first)
        switch row {
        case .success(let row):
            #expect(example.flaw == nil)
            #expect(row == ImportedRow(user: "42", store: "apple", id: "1000000000000001", app: "com.example"))
        case .failure(let error): #expect(error.message.contains(example.flaw ?? "?"), "\(error)")
        }
    }

    /// The longest ids that stores have.
    @Test(arguments: [1, 1024]) func anIDMayHave(_ bytes: Int) throws {
        let id = String(repeating: "x", count: bytes)
        #expect(try rows("user,store,id\n42,google,\(id)\n").first?.get().id == id)
    }

    /// A sound row is never passed over, whatever the rows around it have.
    @Test(arguments: [
        ["a\"b,stripe,sub_1", "c,stripe,sub_2", "d\"e,stripe,sub_3"],
        ["\"a,stripe,sub_1", "c,stripe,sub_2", "\",stripe,sub_3"],
        ["a,stripe,\"sub_1", "c,stripe,sub_2", "d,stripe,sub_3\""],
        ["a,stripe,sub_1\"", "c,stripe,sub_2", "d,stripe,sub_\"3"],
    ]) func quotesTakeNoOtherRowAlong(_ lines: [String]) throws {
        let rows = try rows("user,store,id\n" + lines.map { $0 + "\n" }.joined())
        #expect(rows.count == 3)
        #expect(try rows[1].get() == ImportedRow(user: "c", store: "stripe", id: "sub_2"))
        for row in [rows[0], rows[2]] {
            #expect(throws: ImportedRow.Flaw.self) { try row.get() }
        }
    }

    /// What is told may end in a log.
    @Test(arguments: [
        "user,store,id\n42,TOKEN,google\n", "TOKEN,google,42\n43,google,x\n",
        #"{"user":"42","store":"TOKEN","id":"google"}"#, #"{"user":"42","TOKEN":"google"}"#,
    ]) func noFlawHasAToken(_ text: String) throws {
        for token in ["opaque-token.AO-J1Ox", "a.b-c", "abcdefghijklmnopqrstu", "ann@example.com", "Änne"] {
            let error = #expect(throws: ImportedRow.Flaw.self) {
                for row in try rows(text.replacing("TOKEN", with: token)) { _ = try row.get() }
            }
            #expect(error?.message.contains(token) == false, "\(error?.message ?? "")")
        }
    }

    struct Header: Sendable, CustomTestStringConvertible {
        var text: String
        var flaw: String

        var testDescription: String { text }
    }

    @Test(arguments: [
        Header(text: "", flaw: "the first line names the columns user, store and id"),
        Header(text: "user,store,id,plan\n", flaw: "“plan” is no column"),
        Header(text: "user;store;id\n", flaw: "with commas between them"),
        Header(text: "user,store\n", flaw: "the column id is missing"),
        Header(text: "user,store,id,user\n", flaw: "a column stands there twice"),
        Header(text: "\"user,store,id\n", flaw: "the first line names the columns"),
    ]) func refusesAHeader(_ example: Header) throws {
        let error = #expect(throws: ImportedRow.Flaw.self) { try rows(example.text) }
        #expect(error?.message.contains(example.flaw) == true, "\(error?.message ?? "")")
    }

    @Test func eachStoreIsAskedInItsWords() {
        let bodies = [
            ImportedRow(user: "42", store: "apple", id: "1000000000000001"),
            ImportedRow(user: "42", store: "google", id: "token", app: "com.example"),
            ImportedRow(user: "42", store: "google", id: "GPA.1-2"),
            ImportedRow(user: "42", store: "stripe", id: "sub_1", app: "acct_1"),
        ].map { String(decoding: $0.body(isTransfer: $0.store == "stripe"), as: UTF8.self) }
        #expect(
            bodies == [
                #"{"transactionId":"1000000000000001","user":"42","import":true}"#,
                #"{"purchaseToken":"token","package":"com.example","user":"42","import":true}"#,
                #"{"orderId":"GPA.1-2","user":"42","import":true}"#,
                #"{"subscription":"sub_1","account":"acct_1","user":"42","import":true,"asked":true}"#,
            ]
        )
    }
}
