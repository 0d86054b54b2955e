import Testing

@testable import PostgresLedger

@Suite struct StoredSchemaTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var version: Int64
        var compatibility: String
        /// Of the versions 1 to 5 that a program may know.
        var admits: [Int64]

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "no promise", version: 3, compatibility: "", admits: [3, 4, 5]),
        Case(name: "it added something", version: 4, compatibility: "4 2", admits: [2, 3, 4, 5]),
        Case(name: "it changed something", version: 4, compatibility: "4 4", admits: [4, 5]),
        Case(name: "an older version's promise", version: 4, compatibility: "3 1", admits: [4, 5]),
        Case(name: "not a number", version: 4, compatibility: "4 x", admits: [4, 5]),
        Case(name: "too many numbers", version: 4, compatibility: "4 1 1", admits: [4, 5]),
    ]) func admits(_ item: Case) {
        let stored = StoredSchema(version: item.version, compatibility: item.compatibility)
        #expect((1...5).filter(stored.admits) == item.admits)
    }

    /// Whatever comes after a step that changed something, nodes from before it must not work on its tables.
    @Test func theLastStepThatChangesSomethingDecides() {
        let change = PostgresMigration { _ in "" }
        let addition = PostgresMigration(admits: 0) { _ in "" }
        // From now on, what the third version brought is written.
        let use = PostgresMigration(admits: 3) { _ in "" }
        #expect(PostgresSchema.oldest(of: [change, change, addition]) == 2)
        #expect(PostgresSchema.oldest(of: [change, addition, change]) == 3)
        #expect(PostgresSchema.oldest(of: [change, addition, addition]) == 1)
        #expect(PostgresSchema.oldest(of: [change, change, addition, use]) == 3)
        #expect(PostgresSchema.oldest(of: [change, change, addition, use, addition]) == 3)
        #expect(PostgresSchema.oldest <= PostgresSchema.newest)
    }
}
