internal import Crypto
internal import Domain
internal import Encoding

/// `POST /transactions/google`: a purchase that an app holds. It may arrive before Google's push.
extension GoogleVerifier {
    /// Google's present statement about the purchase, as an event like a webhook's. An app may post the same purchase
    /// each time it starts; as long as Google's answer stays the same, that is one event.
    func read(_ posted: PostedGooglePurchase) throws(VerificationError) -> Event {
        guard let package = posted.package ?? packages.single ?? standardPackage else {
            throw .malformed(.missingPackage)
        }
        guard packages.contains(package) else { throw .wrongApp }
        for subject in subjects(of: posted) {
            guard let found = try ask(about: subject, of: package) else { continue }
            return found
        }
        throw .untrusted(.unknownPurchase)
    }

    /// Both kinds, the likelier one first: a token does not say whether it is a subscription's.
    private func subjects(of posted: PostedGooglePurchase) -> [GoogleNotification.Subject] {
        let kind = posted.product.flatMap { api.catalog[$0]?.kind } ?? .subscription
        let both: [GoogleNotification.Subject] = [.subscription(token: posted.token), .product(token: posted.token)]
        return kind == .subscription ? both : both.reversed()
    }

    private func ask(
        about subject: GoogleNotification.Subject,
        of package: String
    ) throws(VerificationError) -> Event? {
        do throws(StoreAPIError) {
            guard let answer = try api.answer(of: subject, of: package),
                case .purchase(let purchase) = try api.interpret(answer, of: subject, of: package)
            else { return nil }
            let token = Hex.encode(Array(SHA256.hash(Array(subject.token.utf8)).prefix(16)))
            let record = StoredReading(posted: subject, answer: answer)
            return purchase.posted(
                body: record?.bytes ?? answer.body,
                id: "purchase:\(answer.readAt.milliseconds):\(token)"
            )
        } catch {
            report(error)
            throw .storeUnreachable(error.silence)
        }
    }
}

extension GoogleNotification.Subject {
    fileprivate var token: String {
        switch self {
        case .subscription(let token), .product(let token): token
        case .none: ""
        }
    }
}

extension StoredReading {
    fileprivate init?(posted subject: GoogleNotification.Subject, answer: Answer) {
        switch subject {
        case .subscription(let token): self.init(.subscription(token: token), answer: answer)
        case .product(let token): self.init(.product(token: token), answer: answer)
        case .none: return nil
        }
    }
}
