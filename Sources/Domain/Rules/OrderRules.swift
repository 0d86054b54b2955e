extension UnitOfWork {
    /// Finds or creates the order, with `token` for a request that brings none, and claims the purchases that came
    /// before it. Nil if the request's token is another user's.
    public mutating func place(_ request: OrderRequest, token: OrderToken) throws -> OrderResult? {
        // Taken before the claims, so that a page that resumes from here receives them.
        let since = cursor(ledger.head)
        let ending = try ledger.ending(of: request.user)
        if let known = try known(request) {
            guard known.user == request.user else { return nil }
            try setLocale(request.locale, of: request.user)
            let order = repeated(known, by: request)
            return OrderResult(order: order, since: since, ending: ending, isNew: false)
        }
        // The app's backend asks for it, so the user has come back, and the token is in use again.
        try lift([.user(request.user)] + (request.token.map { [.order($0)] } ?? []))
        // Before anything is announced because of the request.
        try setLocale(request.locale, of: request.user)
        let order = Order(
            token: request.token ?? token,
            user: request.user,
            product: request.product,
            provider: request.provider,
            group: request.group,
            kind: request.kind,
            context: request.context,
            trace: request.trace
        )
        ledger.changed(order)
        changes.orders.append(order)
        // Nobody has bought with a token that is created here.
        if request.token != nil { unresolved += try ledger.contracts(.bought(with: order.token)) }
        return OrderResult(order: order, since: since, ending: ending, isNew: true)
    }

    /// A token that a purchase has carried stays that purchase's: the next one gets another, so that nobody takes it for
    /// paid. An app that brings its own token decides itself. What the app wants back belongs to one order: with anything else,
    /// it is another one.
    private func known(_ request: OrderRequest) throws -> Order? {
        if let token = request.token { return try ledger.order(token) }
        return try ledger.orders(like: request).first { try !ledger.isUsed($0.token) }
    }

    /// An app may bind one token to everything that a user buys. Then the order states only what its requests have in
    /// common, so that no genuine purchase contradicts it.
    private mutating func repeated(_ order: Order, by request: OrderRequest) -> Order {
        var repeated = order
        if request.token != nil {
            repeated.product = request.product
            if request.provider != order.provider { repeated.provider = nil }
            if request.group != order.group { repeated.group = nil }
            if request.kind != order.kind { repeated.kind = nil }
        }
        if repeated != order { changes.ordersStateLess = true }
        if !request.context.isEmpty { repeated.context = request.context }
        repeated.trace = request.trace ?? order.trace
        if repeated != order { change(repeated) }
        return repeated
    }

    /// Returns where the purchase began. A post of its user is the newest that is known of that, and stays with the order.
    mutating func trace(of incoming: IncomingEvent) throws -> TraceID? {
        let posted = incoming.claim?.trace
        guard let token = incoming.event.observation?.token ?? incoming.claim?.order,
            var order = try ledger.order(token)
        else {
            return posted
        }
        guard let posted, posted != order.trace, order.user == incoming.claim?.user else {
            return posted ?? order.trace
        }
        order.trace = posted
        change(order)
        return posted
    }

    private mutating func change(_ order: Order) {
        ledger.changed(order)
        changes.changedOrders.append(order)
    }
}
