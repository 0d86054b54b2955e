internal import Domain

extension LedgerStore {
    func order(_ token: OrderToken) throws(SQLiteError) -> Order? {
        try statements.findOrder.first([.text(token.description)], read: OrderRow.read)
    }

    /// Creates or finds the order, and claims the purchases that came before it. Nil when the token is another user's.
    func place(_ request: OrderRequest, now: Instant) throws(SQLiteError) -> Commit<OrderResult?> {
        // Taken before the claims, so that a page that resumes from here receives them.
        let since = cursor(try head())
        if let token = request.token {
            if let order = try order(token) {
                guard order.user == request.user else { return Commit(value: nil) }
                let readers = try note(request)
                let widened = try widen(order, with: request)
                let receipt = OrderResult(order: widened, since: since, isNew: false)
                return Commit(value: receipt, readers: readers)
            }
        } else if let order = try sameRequest(request) {
            let readers = try note(request)
            return Commit(value: OrderResult(order: order, since: since, isNew: false), readers: readers)
        }
        let readers = try note(request)
        let order = Order(
            token: request.token ?? .random(),
            user: request.user,
            product: request.product,
            provider: request.provider,
            group: request.group,
            kind: request.kind
        )
        try statements.insertOrder.run(OrderRow.values(order) + [Value(now)])
        let receipt = OrderResult(order: order, since: since, isNew: true)
        var commit = Commit<OrderResult?>(value: receipt, readers: readers)
        let bought = try statements.contractsByToken.all([.text(order.token.description)], read: contractRow)
        try resolveOwners(of: bought, into: &commit, at: now)
        return commit
    }

    /// Remembers the request's language. Call it before anything is announced because of the request.
    private func note(_ request: OrderRequest) throws(SQLiteError) -> [UserID] {
        try request.language.map { language throws(SQLiteError) in try note(language, of: request.user) } ?? []
    }

    private func sameRequest(_ request: OrderRequest) throws(SQLiteError) -> Order? {
        let values: [Value] = [
            Value(request.user), .text(request.product), Value(request.provider), Value(request.group),
            Value(request.kind),
        ]
        return try statements.findRequest.first(values, read: OrderRow.read)
    }

    /// An app may bind one token to everything that a user buys. Then the order states only what its requests have in
    /// common, so that no genuine purchase contradicts it.
    private func widen(_ order: Order, with request: OrderRequest) throws(SQLiteError) -> Order {
        var widened = order
        widened.product = request.product
        if request.provider != order.provider { widened.provider = nil }
        if request.group != order.group { widened.group = nil }
        if request.kind != order.kind { widened.kind = nil }
        guard widened != order else { return order }
        try statements.widenOrder.run([
            .text(widened.product), Value(widened.provider), Value(widened.group), Value(widened.kind),
            .text(order.token.description),
        ])
        return widened
    }
}
