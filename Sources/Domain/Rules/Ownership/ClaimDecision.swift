/// Decides what a claim does to a contract under the policy. A refusal is final, and the same proof does not move a
/// contract twice, so that two users' apps do not take it from each other at every launch.
struct ClaimDecision: Equatable {
    /// A genuine transaction that a user shows.
    struct Proof {
        var user: UserID
        var postedAt: Instant
        var signedAt: Instant

        func fact(whileActive isActive: Bool) -> Ownership.Fact {
            Ownership.Fact(user: user, at: postedAt, ground: .claim(whileActive: isActive))
        }
    }

    /// The contract's state without this claim.
    struct Target {
        /// The owner first.
        var holders: [UserID]
        /// True if the holders follow only from another contract.
        var isDerived: Bool
        /// True if the store itself names the owner.
        var isNamedByStore: Bool
        var isActive: Bool
        var facts: [Ownership.Fact]
    }

    /// The record of one user: the newest proof that the user has shown, and what it granted.
    struct Note: Equatable {
        var user: UserID
        var fact: Ownership.Fact?
        var proofAt: Instant
    }

    var outcome: ClaimOutcome
    var notes: [Note] = []
    /// True if the claimant's order becomes the contract's.
    var isBinding = false

    /// `last` dates the newest proof that the claimant has shown before.
    init(of proof: Proof, after last: Instant?, on target: Target, policy: TransferPolicy) {
        let isHeld = target.holders.contains(proof.user)
        outcome = isHeld ? .granted : .refused
        if let last, proof.signedAt <= last { return }
        notes = [Note(user: proof.user, proofAt: proof.signedAt)]
        if target.isNamedByStore { return }
        let made = proof.fact(whileActive: target.isActive)
        if isHeld, !target.isDerived {
            // The claim counts all the same: events that have not arrived yet may show that the claimant needed it.
            // Where access decides (`transfer_if_inactive`), it must not replace the claim that was granted when there
            // was no access.
            notes[0].fact = policy == .transferIfInactive ? nil : made
            isBinding = true
            return
        }
        let inherited = target.isDerived ? target.holders.map(ClaimDecision.inherited) : []
        let owned = Ownership(target.facts + [made] + inherited, policy: policy)
        guard let users = owned?.users, users.contains(proof.user) else {
            outcome = .refused
            return
        }
        notes[0].fact = made
        notes += inherited.filter { $0.user != proof.user }.map { Note(user: $0.user, fact: $0, proofAt: $0.at) }
        isBinding = true
        if !target.holders.isEmpty, !isHeld {
            outcome = users.contains(where: target.holders.contains) ? .shared : .moved
        } else {
            outcome = .granted
        }
    }

    /// Users who held it because of another contract had it before anybody claimed it.
    private static func inherited(_ user: UserID) -> Ownership.Fact {
        Ownership.Fact(user: user, at: Instant(milliseconds: 0), ground: .claim(whileActive: false))
    }
}
