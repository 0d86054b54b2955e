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

/// What every start of a server and every test goes through, byte by byte: compiled as in a release, for some seconds more of
/// a build. For the rules and the ledger that would be an eighth of it.
let optimized: [SwiftSetting] = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let roomsOfBytes: Set = ["Encoding", "Pages"]

func library(_ name: String, _ dependencies: [String], path: String? = nil, exclude: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        path: path,
        exclude: exclude,
        swiftSettings: roomsOfBytes.contains(name) ? optimized : settings
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

        // The C libraries of Debian 12, each imported by no Swift target but those named beside it.
        .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets"),  // HTTPClient
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2"),  // HTTP
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),  // Ledger
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),  // Ledger
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),  // Ledger
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),  // Crypto; Gateway and HTTPClient for TLS
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),  // HTTPClient
        .systemLibrary(name: "CHiredis"),  // Rails; its pkg-config file has a flag that SwiftPM refuses
        .systemLibrary(name: "CLinux"),  // what Glibc's module leaves out, for whoever needs it

        // Values and pure rules, then what they run on.
        library("Encoding", []),
        library("Domain", ["Encoding"]),
        library("APIModel", ["Encoding", "Domain"]),
        // What pages and apps load, and the longer texts of the program, inside it.
        .target(name: "CAssets", exclude: ["alarms", "apple-roots.pem", "body-dictionary.txt"]),
        // Threads and their mailboxes, clocks, logs, metrics, how settings are read, and the files that the program carries.
        library("Support", ["CAssets", "CLinux", "Domain"]),
        library("Crypto", ["COpenSSL", "Encoding", "Domain", "Support"]),
        // What stores, backends and servers are asked with, and what commands watch a server's pages with.
        library("HTTPClient", ["CCurl", "CWebSockets", "COpenSSL", "Encoding", "Support"]),
        // Bytes of HTTP/1.1, HTTP/2 and WebSocket, and who is admitted.
        library("HTTP", ["CNghttp2", "Encoding", "Domain", "Support", "Crypto"]),

        // The stages of the pipeline: proven, committed, rendered, fanned out. A store is one folder.
        library("Stores", ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient"]),
        // What is committed: in SQLite, and what several nodes share.
        library("Ledger", ["CSQLite", "CZstd", "CPostgres", "Encoding", "Domain", "Support", "Crypto"]),
        // What pages follow, and what a request and its answer are.
        library("Pages", ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTP"]),
        // What a Rails app broadcasts by itself: over Redis, Solid Cable or PostgreSQL's NOTIFY.
        library("Rails", ["CHiredis", "Encoding", "Domain", "Support", "Crypto", "HTTPClient", "Ledger", "Pages"]),
        // Sockets, and the loops that serve them.
        library("Gateway", ["CLinux", "COpenSSL", "Domain", "Support", "Crypto", "HTTP", "Pages"]),
        library(
            "API",
            ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTP", "Stores", "Ledger", "Pages"]
        ),
        // The operators' pages, which ask the API's routes for all that they show.
        library(
            "Console",
            ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTP", "Stores", "Pages", "API"]
        ),
        // Stores that exist nowhere: their histories, their servers, and what drives them.
        library("Simulator", ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient"]),
        // The only place that builds and joins the parts. Its development server has a demo.
        library(
            "Server",
            [
                "Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient", "HTTP", "Stores",
                "Ledger", "Pages", "Rails", "Simulator", "Gateway", "API", "Console",
            ]
        ),
        // What every command reads and prints, the client of a server, and the larger commands.
        library(
            "Commands",
            [
                "Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient", "HTTP", "Stores", "Ledger",
                "Pages", "Rails", "API", "Simulator", "Server",
            ]
        ),
        executable(
            "paycast",
            [
                "Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient", "Stores", "Ledger", "API",
                "Simulator", "Server", "Commands",
            ],
            linkerSettings: withoutSwift
        ),
        executable("Benchmarks", ["CLinux", "Encoding", "Domain", "Crypto", "Simulator"]),

        .target(
            name: "TestSupport",
            dependencies: [
                "CLinux", "COpenSSL", "Encoding", "Domain", "Support", "Crypto", "HTTPClient", "Stores", "Rails",
                "Simulator",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        tests("Encoding", ["Crypto"]),
        tests("Domain"),
        tests("Support", ["Domain"]),
        tests("Crypto", ["Encoding", "Domain", "Support"]),
        tests("HTTPClient", ["HTTP"]),
        tests("HTTP"),
        tests("Stores", ["Encoding", "Domain", "Support", "Crypto", "HTTPClient", "Simulator"]),
        tests(
            "Ledger",
            ["Encoding", "Domain", "Support", "Crypto", "Stores", "Simulator"]
        ),
        tests("Pages", ["Encoding", "Domain", "APIModel", "Support", "HTTP"]),
        tests("Rails", ["Domain", "Ledger", "paycast"], exclude: ["RailsCable/App"]),
        tests("Gateway", ["COpenSSL", "Domain", "Support", "HTTP", "Pages"]),
        tests("API", ["Encoding", "Domain", "APIModel", "Support", "Stores", "Ledger", "Pages"]),
        tests("Console", ["Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTP", "Pages", "API"]),
        tests("Simulator", ["Encoding", "Domain", "Support", "Crypto", "Stores"]),
        tests(
            "Server",
            ["Domain", "APIModel", "Support", "Crypto", "HTTPClient", "HTTP", "Stores", "Ledger", "Simulator"]
        ),
        tests(
            "Commands",
            ["Encoding", "Domain", "Support", "Crypto", "HTTPClient", "Stores", "Ledger", "Simulator", "paycast"]
        ),
        tests("paycast", ["Commands"]),
        // A store that Paycast does not ship with: a folder, and a line in `main.swift`.
        .executableTarget(
            name: "SixthStore",
            dependencies: ["Encoding", "Domain", "Support", "Crypto", "Stores", "Server"],
            path: "Tests/SixthStore",
            swiftSettings: settings,
            linkerSettings: withoutSwift
        ),
        tests("SixthStore", ["Encoding", "Domain", "Support", "Crypto", "HTTPClient"]),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "Encoding", "Domain", "APIModel", "Support", "Crypto", "HTTPClient", "Stores", "Ledger", "API",
                "Simulator", "TestSupport", "paycast",
            ],
            swiftSettings: settings
        ),
    ]
)

// The thread sanitizer's build leaves out what it would not run: CI builds everything twice without it.
if Context.environment["PAYCAST_SANITIZED"] != nil {
    let unsanitized: Set = ["Encoding", "Domain", "Simulator", "Commands", "paycast", "Journey"]
    package.targets.removeAll { unsanitized.contains(String($0.name.dropLast("Tests".count))) && $0.type == .test }
    package.targets.removeAll { $0.name == "Benchmarks" }
}
