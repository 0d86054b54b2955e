import Domain
import TestSupport
import Testing

@Suite struct ContractTests {
    private static let seeds = Array(UInt64(1)...60)

    /// Whatever the order and the repetitions, the registers are the same, and so is the status at every instant.
    @Test(arguments: seeds, [false, true])
    func orderAndRepetitionDoNotMatter(seed: UInt64, ties: Bool) {
        let history = StoreHistory(seed: seed, ties: ties)
        let expected = contracts(history.events)
        var generator = SeededGenerator(seed: seed &* 7919)
        for _ in 0..<20 {
            let repeated = history.events.filter { _ in Bool.random(using: &generator) }
            let shuffled = (history.events + repeated).shuffled(using: &generator)
            #expect(contracts(shuffled) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: seeds)
    func lastWordIsTheStoresTruth(seed: UInt64) {
        let history = StoreHistory(seed: seed, ties: false)
        for (key, contract) in contracts(history.events) {
            let last = history.events.last { $0.observation?.contract == key }?.signedAt ?? history.end
            #expect(contract.status(at: last)?.state == history.truth[key], "seed \(seed), \(key.lineage)")
        }
    }

    private func contracts(_ events: [Event]) -> [ContractKey: Contract] {
        var contracts: [ContractKey: Contract] = [:]
        for event in events {
            guard let observation = event.observation else { continue }
            var contract =
                contracts[observation.contract] ?? Contract(key: observation.contract, kind: observation.kind)
            _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
            contracts[observation.contract] = contract
        }
        return contracts
    }
}
