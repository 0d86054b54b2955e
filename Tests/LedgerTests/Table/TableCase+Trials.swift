import Domain
import Simulator

/// Rows 2 and 43: a subscription begins with a free trial, and the first paid period follows it.
extension TableCase {
    private static let begun: [(provider: Provider, statement: StoreStatement, word: String?)] = [
        (.apple, trial(of: "SUBSCRIBED/INITIAL_BUY"), nil), (.google, "4/trial", "trial"),
        (.stripe, "customer.subscription.created/trialing", "trialing"),
        (.revenuecat, "INITIAL_PURCHASE/TRIAL", "TRIAL"), (.purchasekit, trial(of: "subscription.created"), nil),
    ]

    static let trialRows =
        begun.map { begun in
            TableCase(
                2,
                at: begun.provider,
                says: begun.statement,
                is: .subscriptionStarted,
                word: begun.word,
                state: .active,
                isTrial: true,
                until: .day(7),
                shows: .granted
            )
        } + [
            // Until it ends, a trial stays one.
            off(.apple, says: disabled), off(.google, says: "3"),
            off(.stripe, says: "customer.subscription.updated/cancel"), off(.revenuecat, says: unsubscribed),
            paid(.apple, says: "DID_RENEW"), paid(.google, says: "2"),
            paid(.stripe, says: "customer.subscription.updated/renewed"),
            paid(.stripe, says: "invoice.paid/subscription_cycle"), paid(.revenuecat, says: "RENEWAL"),
            paid(.purchasekit, says: "subscription.updated"),
            // The app posts the first paid charge before Apple tells of it: Apple's word is the conversion, and there is one.
            TableCase(
                43,
                at: .apple,
                says: paidCharge,
                after: first(.apple),
                is: .subscriptionRenewed,
                state: .active,
                until: .day(37),
                shows: .manage
            ),
            TableCase(
                43,
                at: .apple,
                says: "DID_RENEW",
                after: paidAhead,
                is: .subscriptionConverted,
                state: .active,
                until: .day(37)
            ),
            // The card of the trial was refused at first.
            TableCase(
                43,
                at: .apple,
                says: "DID_RENEW/BILLING_RECOVERY",
                after: [trial(of: "SUBSCRIBED/INITIAL_BUY"), afterTrial("DID_FAIL_TO_RENEW")],
                is: .subscriptionConverted,
                state: .active,
                until: .inDays(30),
                shows: .granted
            ),
            // It ended, and the user comes back.
            TableCase(
                5,
                at: .apple,
                says: "SUBSCRIBED/RESUBSCRIBE",
                after: [trial(of: "SUBSCRIBED/INITIAL_BUY"), afterTrial("EXPIRED/VOLUNTARY")],
                is: .subscriptionResubscribed,
                state: .active,
                until: .inDays(30),
                shows: .granted
            ),
        ]

    private static func trial(of words: String) -> StoreStatement {
        StoreStatement(words) { $0.facts.isTrial = true }
    }

    /// Some minutes before the trial ends, as an app posts it. Apple's notification is of the same renewal, so the facts on which
    /// it builds are those before the post.
    private static let paidCharge = StoreStatement(
        "DID_RENEW",
        after: .seconds(7 * 86_400 - 600),
        claimedBy: TableScenario.buyer.text
    ) { $0.facts.renewals += 1 }

    private static let paidAhead = first(.apple) + [paidCharge]

    /// Half a minute after its end.
    private static func afterTrial(_ words: String) -> StoreStatement {
        StoreStatement(words, after: .seconds(7 * 86_400 + 30))
    }

    private static func first(_ provider: Provider) -> [StoreStatement] {
        begun.filter { $0.provider == provider }.map(\.statement)
    }

    private static func off(_ provider: Provider, says statement: StoreStatement) -> TableCase {
        TableCase(
            11,
            at: provider,
            says: statement,
            after: first(provider),
            is: .autoRenewOff,
            state: .cancelled,
            isTrial: true,
            until: .day(7),
            shows: .ending
        )
    }

    private static func paid(_ provider: Provider, says words: String) -> TableCase {
        TableCase(
            43,
            at: provider,
            says: afterTrial(words),
            after: first(provider),
            is: .subscriptionConverted,
            state: .active,
            until: .inDays(30),
            shows: .manage
        )
    }
}
