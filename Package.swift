// swift-tools-version: 6.2
import PackageDescription

/// One list for every Swift target. The two features make each file name what it imports and what escapes from it:
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let settings = language + [.treatAllWarnings(as: .error)]

/// Rules that tests put through thousands of histories: compiled as in a release, they take a third of the time.
let optimized: [SwiftSetting] = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

func library(_ name: String, _ dependencies: [String], path: String? = nil, exclude: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        path: path,
        exclude: exclude,
        swiftSettings: optimized
    )
}

/// A store is one folder.
func store(_ name: String, _ dependencies: [String], exclude: [String] = []) -> Target {
    library(
        name + "Store",
        ["Encoding", "Domain", "Settings", "StoreInterface"] + dependencies,
        path: "Sources/Stores/\(name)",
        exclude: exclude
    )
}

/// A release runs where there is no Swift. The libraries are parts of Foundation, which names them only to code that was
/// compiled for it; ICU, which knows how languages write dates and prices, is C++.
let withoutSwift: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"], .when(configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(configuration: .release)),
    .linkedLibrary("_FoundationICU", .when(configuration: .release)),
    .linkedLibrary("stdc++", .when(configuration: .release)),
]

/// What the program carries of `public/`, through the links in `Sources/Assets`.
let embedded = [
    "openapi.json", "paycast.js", "paycast-native.js",
    "app.js", "appstore.js", "bridge.js", "demo.css", "demo.js", "disk.js", "events.js", "icon.svg", "index.html",
    "phone.css", "phone.js", "sheet.js", "swap.js", "timeline.js", "turbo.js", "webview.js", "world.js",
    "ending.html", "fix_billing.html", "manage.html", "moved.html", "paused.html", "paywall.html", "pending.html",
    "revoked.html", "success.html", "warn_billing.html",
    "ending.de.html", "fix_billing.de.html", "manage.de.html", "moved.de.html", "paused.de.html", "paywall.de.html",
    "pending.de.html", "revoked.de.html", "success.de.html", "warn_billing.de.html",
].map { Resource.embedInCode($0) }

func executable(_ name: String, _ dependencies: [String], linkerSettings: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        swiftSettings: settings,
        linkerSettings: linkerSettings
    )
}

func tests(_ subject: String, _ dependencies: [String] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: subject + "Tests",
        dependencies: ([subject, "TestSupport"] + dependencies).map { .init(stringLiteral: $0) },
        exclude: exclude,
        swiftSettings: settings
    )
}

let package = Package(
    name: "paycast",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "PaycastKit", targets: ["PaycastKit"])],
    targets: [
        // The app's side, for Apple's platforms and Linux. It depends on nothing, and SwiftPM refuses unsafe flags in what
        // an app adds as a package: https://docs.swift.org/swiftpm/documentation/packagedescription/swiftsetting
        // Xcode suppresses the warnings of such packages, which is in conflict with warnings as errors:
        // Tests/PaycastKitTests/Stubs/typecheck makes errors of them.
        .target(
            name: "PaycastKit",
            exclude: ["HotwireNative"],
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: language
        ),
        .testTarget(
            name: "PaycastKitTests",
            dependencies: ["PaycastKit"],
            exclude: ["Stubs", "Scenarios", "Mac"],
            swiftSettings: settings
        ),
        // A process for the scenarios to kill.
        .executableTarget(
            name: "PaycastKitApp",
            dependencies: ["PaycastKit"],
            path: "Tests/PaycastKitTests/Scenarios/App",
            swiftSettings: settings
        ),

        // The C libraries of Debian 12, each imported by the one Swift target named beside it.
        .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets"),  // Sockets; Gateway's tests
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2"),  // HTTP2
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),  // SQLiteLedger
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),  // Postgres
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),  // Crypto
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),  // HTTPClient
        .systemLibrary(name: "CHiredis"),  // Redis; its pkg-config file has a flag that SwiftPM refuses
        .systemLibrary(name: "CLinux"),  // what Glibc's module leaves out, for whoever needs it

        // Values and pure rules, then what they run on.
        library("Encoding", []),
        library("Domain", ["Encoding"]),
        library("APIModel", ["Encoding", "Domain"]),
        .target(name: "Assets", resources: embedded, swiftSettings: settings),
        library("Concurrency", ["CLinux", "Domain"]),
        library("Observability", ["CLinux", "Domain", "Concurrency"]),
        library("Crypto", ["COpenSSL", "Encoding", "Domain"]),
        library("HTTPClient", ["CCurl"]),
        library("Postgres", ["CPostgres"]),
        library("HTTP1", ["Encoding"]),
        library("HTTP2", ["CNghttp2"]),
        library("WebSocket", ["Encoding", "Crypto"]),
        library("Admission", ["Encoding", "Domain", "Observability"]),
        library("Sockets", ["CWebSockets", "Domain", "Concurrency", "Observability", "HTTP1", "HTTP2", "Admission"]),

        library("Settings", ["Domain"]),

        // The stages of the pipeline: proven, committed, rendered, fanned out.
        library(
            "StoreInterface",
            ["Encoding", "Domain", "APIModel", "Crypto", "Settings"],
            path: "Sources/Stores/Interface"
        ),
        library(
            "AppleReceipts",
            ["Encoding", "Domain", "Crypto", "StoreInterface"],
            path: "Sources/Stores/Apple/Receipts"
        ),
        store("Apple", ["AppleReceipts", "APIModel", "Crypto", "HTTPClient"], exclude: ["Receipts"]),
        store("Google", ["APIModel", "Concurrency", "Crypto", "HTTPClient"]),
        store("Stripe", ["Crypto", "HTTPClient"]),
        store("RevenueCat", ["Crypto"]),
        store("PurchaseKit", ["Crypto"]),
        library(
            "Stores",
            [
                "Domain", "Settings", "StoreInterface", "AppleStore", "GoogleStore", "StripeStore", "RevenueCatStore",
                "PurchaseKitStore",
            ],
            path: "Sources/Stores/All"
        ),
        library("Rules", ["Domain"]),
        library("LedgerInterface", ["Encoding", "Domain", "Rules"], path: "Sources/Ledger/Interface"),
        library(
            "LedgerSQL",
            ["Encoding", "Domain", "Rules", "Crypto", "LedgerInterface"],
            path: "Sources/Ledger/SQL"
        ),
        // What several nodes on one ledger need of its engine, and say to each other.
        library(
            "SharedLedger",
            ["Encoding", "Domain", "Concurrency", "Crypto", "LedgerInterface", "LedgerSQL"],
            path: "Sources/Ledger/Shared"
        ),
        library(
            "SQLiteLedger",
            ["CSQLite", "Domain", "LedgerInterface", "LedgerSQL"],
            path: "Sources/Ledger/SQLite"
        ),
        library(
            "PostgresLedger",
            ["Concurrency", "Domain", "LedgerInterface", "LedgerSQL", "SharedLedger", "Postgres"],
            path: "Sources/Ledger/PostgreSQL"
        ),
        library(
            "LedgerFiles",
            ["Concurrency", "Domain", "LedgerInterface", "LedgerSQL", "SQLiteLedger"],
            path: "Sources/Ledger/Files"
        ),
        library(
            "LedgerCopy",
            [
                "Encoding", "Domain", "Concurrency", "Crypto", "LedgerInterface", "LedgerSQL", "SQLiteLedger",
                "Postgres", "PostgresLedger", "LedgerFiles",
            ],
            path: "Sources/Ledger/Copy"
        ),
        library(
            "Ledger",
            [
                "Domain", "Rules", "Concurrency", "Observability", "LedgerInterface", "LedgerSQL", "SharedLedger",
                "SQLiteLedger", "LedgerFiles",
            ],
            path: "Sources/Ledger/Threads"
        ),
        library(
            "Jobs",
            [
                "Domain", "Concurrency", "Observability", "HTTPClient", "StoreInterface", "LedgerInterface", "Ledger",
            ]
        ),
        library("TurboStreams", ["Encoding", "Domain"]),
        library("Hub", ["Domain"]),
        library("ActionCable", ["Encoding", "Concurrency", "Hub"]),
        library("RailsBroadcasts", ["Encoding", "Domain", "Concurrency", "Observability", "TurboStreams"]),
        library("RailsRedis", ["CHiredis", "Encoding", "Domain", "Concurrency", "Observability", "RailsBroadcasts"]),
        library(
            "RailsCable",
            [
                "Encoding", "Domain", "Concurrency", "Observability", "Crypto", "Postgres", "LedgerSQL", "SQLiteLedger",
                "RailsBroadcasts",
            ]
        ),
        library("Simulator", ["Encoding", "Domain", "APIModel", "Crypto"]),
        library("StandIns", ["Encoding", "Domain", "Crypto", "HTTPClient", "Simulator"]),
        library("StoreDriver", ["Encoding", "Domain", "APIModel", "Crypto", "HTTPClient", "Simulator"]),
        library(
            "Pages",
            ["Encoding", "Domain", "APIModel", "Concurrency", "Crypto", "HTTP1", "TurboStreams", "Hub", "ActionCable"]
        ),
        library(
            "HTTPMessages",
            ["Domain", "APIModel", "HTTP1", "WebSocket", "Admission", "Hub", "ActionCable", "Pages"]
        ),
        library(
            "Gateway",
            [
                "Domain", "Concurrency", "Observability", "HTTP1", "HTTP2", "WebSocket", "Admission", "Sockets",
                "TurboStreams", "Hub", "ActionCable", "Pages", "HTTPMessages",
            ]
        ),
        library("PublicFiles", ["Encoding", "Assets", "Concurrency", "Crypto", "HTTP1", "HTTPMessages"]),
        library(
            "API",
            [
                "Encoding", "Domain", "APIModel", "Assets", "Concurrency", "Observability", "Crypto", "HTTP1",
                "Admission", "StoreInterface", "Rules", "LedgerInterface", "Ledger", "TurboStreams", "Hub",
                "ActionCable", "Pages", "HTTPMessages", "PublicFiles",
            ]
        ),

        library(
            "Development",
            [
                "Encoding", "Domain", "Assets", "Concurrency", "Crypto", "HTTP1", "Admission", "Settings",
                "StoreInterface", "Stores", "LedgerInterface", "Ledger", "TurboStreams", "Simulator", "StandIns",
                "StoreDriver", "Pages", "HTTPMessages", "API",
            ]
        ),

        // The only place that builds and joins the parts.
        library(
            "Server",
            [
                "Encoding", "Domain", "APIModel", "Assets", "Concurrency", "Observability", "Crypto", "HTTP2",
                "Admission", "Sockets", "Settings", "StoreInterface", "Stores", "LedgerInterface", "LedgerSQL",
                "SharedLedger", "SQLiteLedger", "Postgres", "PostgresLedger", "LedgerFiles", "Ledger", "Jobs",
                "TurboStreams", "Hub", "RailsBroadcasts", "RailsRedis", "RailsCable", "Pages", "Simulator", "Gateway",
                "API",
                "Development",
            ]
        ),

        // The command line: what every command reads and prints, the client of a server, and the commands.
        library("Terminal", ["Concurrency", "Domain"]),
        library(
            "APIClient",
            [
                "Encoding", "Domain", "Concurrency", "HTTPClient", "Settings", "Simulator", "LedgerInterface",
                "LedgerFiles",
                "Terminal",
            ]
        ),
        library("Tail", ["Encoding", "Domain", "HTTPClient", "Stores", "Terminal", "APIClient"]),
        library(
            "Trigger",
            [
                "Encoding", "Domain", "Concurrency", "Crypto", "HTTPClient", "Simulator", "StoreDriver", "Terminal",
                "APIClient",
            ]
        ),
        library(
            "Doctor",
            [
                "Domain", "Concurrency", "Crypto", "HTTPClient", "Settings", "StoreInterface",
                "LedgerInterface", "Postgres", "PostgresLedger", "LedgerFiles", "TurboStreams", "Simulator",
                "Development", "Server", "Terminal",
                "APIClient",
            ]
        ),
        executable(
            "paycast",
            [
                "Domain", "APIModel", "Concurrency", "Crypto", "HTTPClient", "Settings", "Stores", "LedgerInterface",
                "LedgerCopy", "LedgerFiles", "Server", "Terminal", "APIClient", "Tail", "Trigger", "Doctor",
            ],
            linkerSettings: withoutSwift
        ),
        library("StockClients", ["Encoding"]),
        executable("Benchmarks", ["CLinux", "Encoding", "Domain", "Crypto", "Simulator", "StockClients"]),

        .target(
            name: "TestSupport",
            dependencies: [
                "CLinux", "Encoding", "Domain", "Concurrency", "Observability", "Crypto", "HTTPClient", "AppleStore",
                "RailsBroadcasts", "Simulator", "StandIns",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        tests("Domain"),
        tests("Encoding", ["Crypto"]),
        tests("Concurrency", ["Domain", "Observability"]),
        tests("Observability", ["Domain", "Concurrency"]),
        tests("HTTPClient"),
        tests("Postgres", ["Concurrency"]),
        tests("Crypto", ["Encoding", "Domain"]),
        tests(
            "Stores",
            [
                "Encoding", "Domain", "Concurrency", "Observability", "Crypto", "HTTPClient", "StoreInterface",
                "AppleReceipts", "AppleStore", "GoogleStore", "StripeStore", "RevenueCatStore", "PurchaseKitStore",
                "Simulator",
                "StandIns",
            ]
        ),
        tests(
            "Jobs",
            [
                "Domain", "Concurrency", "Observability", "Crypto", "HTTPClient", "StoreInterface", "AppleStore",
                "GoogleStore", "StripeStore", "LedgerInterface", "SQLiteLedger", "Ledger", "Simulator", "StandIns",
            ]
        ),
        tests(
            "Simulator",
            ["Encoding", "Domain", "Crypto", "StoreInterface", "AppleStore", "GoogleStore", "StripeStore", "StandIns"]
        ),
        tests("StandIns", ["Crypto", "Domain", "Simulator"]),
        tests("StoreDriver", ["Domain", "Crypto", "AppleStore", "Simulator"]),
        tests(
            "Ledger",
            [
                "Encoding", "Domain", "Rules", "Concurrency", "Observability", "Crypto", "StoreInterface", "AppleStore",
                "GoogleStore", "StripeStore", "RevenueCatStore", "PurchaseKitStore", "LedgerInterface", "LedgerSQL",
                "SharedLedger", "SQLiteLedger", "Postgres", "PostgresLedger", "LedgerFiles", "LedgerCopy", "Simulator",
                "StandIns",
            ]
        ),
        tests("Development", ["Domain", "Concurrency", "Simulator", "StandIns"]),
        tests("TurboStreams", ["Domain"]),
        tests("Hub", ["Domain"]),
        tests("ActionCable", ["Encoding", "Hub"]),
        tests("HTTP1"),
        tests("HTTP2"),
        tests("WebSocket"),
        tests("Admission"),
        tests("Sockets"),
        tests("Pages", ["Domain", "Hub"]),
        tests("HTTPMessages", ["Domain"]),
        tests("RailsBroadcasts", ["Domain"]),
        tests("RailsRedis", ["RailsBroadcasts", "paycast"]),
        tests("RailsCable", ["Domain", "Postgres", "RailsBroadcasts", "paycast"], exclude: ["App"]),
        tests(
            "Gateway",
            [
                "CWebSockets", "Domain", "Concurrency", "Observability", "HTTP1", "Admission", "Sockets", "Hub",
                "ActionCable", "Pages", "HTTPMessages",
            ]
        ),
        tests("PublicFiles", ["Concurrency", "HTTPMessages"]),
        tests(
            "API",
            [
                "Encoding", "Domain", "APIModel", "Rules", "Concurrency", "Observability", "StoreInterface",
                "LedgerInterface", "SQLiteLedger", "Ledger", "HTTPMessages",
            ]
        ),
        tests(
            "Server",
            [
                "Domain", "Observability", "Crypto", "Settings", "StoreInterface", "AppleStore", "StripeStore",
                "Stores", "LedgerInterface", "Admission",
            ]
        ),
        tests("Terminal", ["paycast"]),
        tests("APIClient", ["LedgerFiles"]),
        tests("Tail", ["Domain", "APIClient", "paycast"]),
        tests("Trigger", ["Domain", "Simulator", "Terminal", "APIClient", "paycast"]),
        tests(
            "Doctor",
            ["Domain", "Crypto", "Settings", "StoreInterface", "AppleStore", "GoogleStore", "paycast"]
        ),
        tests("paycast", ["Terminal"], exclude: ["Golden"]),
        // A store that Paycast does not ship with: a folder, and a line in `main.swift`.
        .executableTarget(
            name: "SixthStore",
            dependencies: [
                "Encoding", "Domain", "Concurrency", "Crypto", "Settings", "StoreInterface", "Stores", "Server",
            ],
            path: "Tests/SixthStore",
            swiftSettings: settings,
            linkerSettings: withoutSwift
        ),
        tests("SixthStore", ["Encoding", "Domain", "Concurrency", "Crypto", "HTTPClient"]),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "Encoding", "Domain", "APIModel", "Concurrency", "Crypto", "HTTPClient", "AppleStore", "LedgerSQL",
                "SQLiteLedger", "Simulator", "TestSupport", "paycast",
            ],
            swiftSettings: settings
        ),
    ]
)
