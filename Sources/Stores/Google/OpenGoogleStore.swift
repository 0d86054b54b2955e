public import Domain
internal import Support

/// Google Play with its settings in force.
public struct OpenGoogleStore: OpenStore {
    /// Verifies pushes, and reads the purchases that they are about.
    let reader: GoogleVerifier
    /// The packages whose voided purchases are fetched; the simulated one when the stand-in answers and none is set.
    let packages: [String]
    /// True when the development server's own stand-in answers for the store.
    let isStandIn: Bool
    let purchase: ContractKey

    public var verifier: any StoreVerifier { reader }
    public var api: (any StoreAPI)? { reader.api }
    public var nobodysPurchase: ContractKey? { purchase }

    public var history: HistorySource? {
        guard !packages.isEmpty else { return nil }
        let lists = packages.map { GoogleVoidedPurchaseList(of: $0, reader: reader) }
        return HistorySource(lists, words: GoogleVoidedPurchaseList.words, asksForEntries: true, isStandIn: isStandIn)
    }
}

extension GoogleStore {
    /// A push says nothing without its purchase, so without a service account nothing is served. In development, the
    /// stand-in and its account replace the settings that are missing.
    public func open(_ dependencies: StoreDependencies) -> OpenGoogleStore? {
        let development = dependencies.development
        guard development != nil || !packages.isEmpty, let api = playAPI(dependencies),
            let audience = audience ?? development?.account?.audience,
            let pushAccount = pushAccount ?? development?.account?.pushAccount
        else { return nil }
        let reader = GoogleVerifier(
            packages: packages.isEmpty ? .any : .only(packages),
            standardPackage: packages.isEmpty ? development?.app : nil,
            expected: .init(audience: audience, account: pushAccount),
            keys: keys(development),
            api: api,
            report: dependencies.report
        )
        let isStandIn = development != nil && credentials == nil && apiURL == nil
        let asked = packages.isEmpty && isStandIn ? Set([development?.app].compactMap(\.self)) : packages
        return OpenGoogleStore(
            reader: reader,
            packages: asked.sorted(),
            isStandIn: isStandIn,
            purchase: nobodysPurchase(development)
        )
    }

    /// Nil without a service account.
    func playAPI(_ dependencies: StoreDependencies) -> GooglePlayAPI? {
        let development = dependencies.development
        let given = credentials.flatMap { GoogleCredentials(json: $0.value) }
        guard given != nil || development?.account != nil else { return nil }
        let address: @Sendable () -> String? = { [apiURL] in
            apiURL ?? (given == nil ? development?.address() : GooglePlayAPI.address)
        }
        return GooglePlayAPI(
            catalog: dependencies.catalog,
            observer: dependencies.observer,
            clock: dependencies.clock,
            credentials: {
                if let given { return given }
                guard let account = development?.account, let address = address() else { return nil }
                return GoogleCredentials(
                    account: account.name,
                    keyID: account.keyID,
                    key: account.key,
                    tokenAddress: "\(address)/token"
                )
            },
            address: address
        )
    }

    func nobodysPurchase(_ development: StoreDevelopment?) -> ContractKey {
        ContractKey(
            provider: .google,
            environment: .production,
            app: packages.min() ?? development?.app ?? "",
            lineage: "paycastdoctor"
        )
    }

    /// In development, the simulated store's keys sign the pushes, unless a push account is configured.
    private func keys(_ development: StoreDevelopment?) -> GoogleKeys {
        let isStandIn = development != nil && pushAccount == nil
        return GoogleKeys { [certsURL] in
            certsURL ?? (isStandIn ? development?.address().map { "\($0)/certs" } : GoogleKeys.address)
        }
    }
}
