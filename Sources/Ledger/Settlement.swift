internal import Domain

/// What a claim makes of a contract, by the policy. A refusal is final, and the same proof does not move a contract
/// twice, so that two users' apps do not take it from each other at every start.
struct Settlement: Equatable {
    /// Who shows a genuine transaction.
    struct Proof {
        var user: UserID
        var postedAt: Instant
        var signedAt: Instant

        func fact(whileActive isActive: Bool) -> Ownership.Fact {
            Ownership.Fact(user: user, at: postedAt, ground: .claim(whileActive: isActive))
        }
    }

    /// The contract without this claim.
    struct Target {
        /// The owner first.
        var holders: [UserID]
        /// They follow from another contract only.
        var isDerived: Bool
        /// The store itself says whose it is.
        var isNamedByStore: Bool
        var isActive: Bool
        var facts: [Ownership.Fact]
    }

    /// What is recorded of one user: the newest proof they have shown, and what it granted.
    struct Note: Equatable {
        var user: UserID
        var fact: Ownership.Fact?
        var proofAt: Instant
    }

    var outcome: ClaimOutcome
    var notes: [Note] = []
    /// The claimant's order becomes the contract's.
    var isBinding = false

    /// `last`: the newest proof that the claimant has shown before.
    init(of proof: Proof, after last: Instant?, on target: Target, policy: TransferPolicy) {
        let isHeld = target.holders.contains(proof.user)
        outcome = isHeld ? .granted : .refused
        if let last, proof.signedAt <= last { return }
        notes = [Note(user: proof.user, proofAt: proof.signedAt)]
        if target.isNamedByStore { return }
        let made = proof.fact(whileActive: target.isActive)
        if isHeld, !target.isDerived {
            // It counts all the same: what is still to arrive may show that they would have needed it. Where access
            // decides, it must not take the place of the claim that was granted when there was none.
            notes[0].fact = policy == .transferIfInactive ? nil : made
            isBinding = true
            return
        }
        let inherited = target.isDerived ? target.holders.map(Settlement.inherited) : []
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

    /// Those whose it was by another contract had it before anybody claimed it.
    private static func inherited(_ user: UserID) -> Ownership.Fact {
        Ownership.Fact(user: user, at: Instant(milliseconds: 0), ground: .claim(whileActive: false))
    }
}
