import Testing

@testable import Ledger

@Suite struct StoredSchemaTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        /// The text in the table `meta`.
        var text: String
        /// Of the versions 1 to 5 that a program may know.
        var admits: [Int64]

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "it added something", text: "4 2", admits: [2, 3, 4, 5]),
        Case(name: "it changed something", text: "4 4", admits: [4, 5]),
        Case(name: "no ledger of a release", text: "", admits: []),
        Case(name: "no promise", text: "4", admits: []),
        Case(name: "not a number", text: "4 x", admits: []),
        Case(name: "too many numbers", text: "4 1 1", admits: []),
    ]) func admits(_ item: Case) {
        #expect((1...5).filter(StoredSchema(item.text).admits) == item.admits)
    }

    @Test func refusalSaysWhy() {
        for known in [StoredSchema("1 1"), StoredSchema("2 1"), .none] { #expect(known.refusal == nil) }
        let newer = PostgresSchema.newest + 1
        let refusal = LedgerError.newerSchema(found: newer, supported: PostgresSchema.newest)
        #expect(StoredSchema("\(newer) \(newer)").refusal == refusal)
        #expect(StoredSchema("").refusal == .unreleasedSchema)
    }

    /// Whatever comes after a step that changed something, nodes from before it must not work on its tables.
    @Test func theLastStepThatChangesSomethingDecides() {
        let change = PostgresMigration(sql: "")
        let addition = PostgresMigration(sql: "", admits: 0)
        // From now on, what the third version brought is written.
        let use = PostgresMigration(sql: "", admits: 3)
        #expect(PostgresSchema.oldest(of: [change, change, addition]) == 2)
        #expect(PostgresSchema.oldest(of: [change, addition, change]) == 3)
        #expect(PostgresSchema.oldest(of: [change, addition, addition]) == 1)
        #expect(PostgresSchema.oldest(of: [change, change, addition, use]) == 3)
        #expect(PostgresSchema.oldest(of: [change, change, addition, use, addition]) == 3)
        #expect(PostgresSchema.oldest <= PostgresSchema.newest)
        // The third brought words that programs from before it cannot read.
        #expect(PostgresSchema.oldest >= 3)
    }
}
