// swift-tools-version: 6.2
import PackageDescription

/// One list for every Swift target. The two features make each file name what it imports and what escapes from it:
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [String]) -> Target {
    .target(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: settings)
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
    "openapi.json", "paycast.js",
    "demo.css", "demo.js", "events.js", "icon.svg", "index.html", "swap.js", "turbo.js",
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
    targets: [
        // The C libraries of Debian 12, each imported by the one Swift target named beside it.
        .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets"),  // Gateway; its tests, for a TLS client
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2"),  // HTTP2
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),  // Ledger
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),  // Crypto
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),  // HTTPClient
        .systemLibrary(name: "CHiredis"),  // Redis; its pkg-config file has a flag that SwiftPM refuses
        .systemLibrary(name: "CLinux"),  // Runtime, Benchmarks: what Glibc's module leaves out

        // Values and pure rules, then what they run on.
        library("Domain", []),
        library("Bytes", []),
        .target(name: "Assets", resources: embedded, swiftSettings: settings),
        library("JSONText", ["Bytes"]),
        library("Runtime", ["Domain", "CLinux"]),
        library("Crypto", ["Domain", "JSONText", "COpenSSL"]),
        library("HTTPClient", ["CCurl"]),
        library("HTTP1", ["Bytes"]),
        library("HTTP2", ["CNghttp2"]),
        library("WebSocket", ["Crypto"]),

        // The stages of the pipeline: proven, committed, rendered, fanned out.
        library("Providers", ["Domain", "Crypto", "JSONText"]),
        library("Stores", ["Domain", "Crypto", "Runtime", "Providers", "HTTPClient"]),
        library("Ledger", ["Domain", "Runtime", "CSQLite"]),
        library("Errands", ["Domain", "Runtime", "Providers", "Stores", "Ledger", "HTTPClient"]),
        library("Fragments", ["Domain", "Bytes"]),
        library("Hub", ["Domain"]),
        library("Cable", ["JSONText", "Hub"]),
        library("Redis", ["Domain", "Runtime", "Fragments", "JSONText", "CHiredis"]),
        library("Simulator", ["Domain", "Crypto", "JSONText", "HTTPClient"]),
        library(
            "Gateway",
            [
                "Domain", "Assets", "Runtime", "Crypto", "Providers", "Ledger", "Fragments", "Hub", "Cable",
                "JSONText", "Bytes", "HTTP1", "HTTP2", "WebSocket", "CWebSockets",
            ]
        ),

        // The only place that builds and joins the parts, and the two programs.
        library(
            "Server",
            [
                "Domain", "Runtime", "Crypto", "Providers", "Ledger", "Fragments", "Hub", "Redis", "Simulator",
                "Gateway", "Stores", "Errands", "HTTPClient", "HTTP1", "HTTP2", "JSONText", "Assets",
            ]
        ),
        executable(
            "paycast",
            [
                "Server", "Domain", "Runtime", "Crypto", "Providers", "Stores", "Ledger", "Fragments", "Simulator",
                "HTTPClient",
            ],
            linkerSettings: withoutSwift
        ),
        executable("Benchmarks", ["Domain", "Crypto", "JSONText", "Simulator", "CLinux"]),

        .target(
            name: "TestSupport",
            dependencies: [
                "Domain", "Runtime", "JSONText", "Crypto", "HTTPClient", "Providers", "Stores", "Simulator",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        tests("Domain"),
        tests("JSONText"),
        tests("Runtime", ["Domain"]),
        tests("HTTPClient"),
        tests("Crypto", ["Domain"]),
        tests("Stores", ["Domain", "Crypto", "Providers", "HTTPClient", "Simulator"]),
        tests("Errands", ["Domain", "Runtime", "Crypto", "Ledger", "HTTPClient", "Stores", "Providers", "Simulator"]),
        tests("Providers", ["Domain", "Crypto", "JSONText", "Simulator"]),
        tests("Simulator", ["Domain", "Crypto", "Providers"]),
        tests("Ledger", ["Domain", "Runtime", "Crypto", "Providers", "Stores", "Simulator"]),
        tests("Fragments", ["Domain"]),
        tests("Hub", ["Domain"]),
        tests("Cable", ["JSONText", "Hub"]),
        tests("HTTP1"),
        tests("HTTP2"),
        tests("WebSocket"),
        tests("Redis", ["Domain", "Runtime", "JSONText", "paycast"]),
        tests("Gateway", ["Domain", "Runtime", "Providers", "Ledger", "Hub", "Cable", "HTTP1", "CWebSockets"]),
        tests("Server", ["Domain", "Runtime", "Crypto", "Gateway", "Simulator"]),
        tests("paycast", ["Domain", "Crypto", "Stores", "Simulator"], exclude: ["Golden"]),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "paycast", "TestSupport", "Domain", "Runtime", "Crypto", "HTTPClient", "JSONText", "Ledger",
                "Providers", "Stores", "Simulator",
            ],
            swiftSettings: settings
        ),
    ]
)
