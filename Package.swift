// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built as strictly as the compiler can.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// A C library that Debian ships, found by pkg-config.
func library(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "shunt",
    products: [
        .executable(name: "shunt", targets: ["shunt"])
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        library("CSQLite", "sqlite3", "libsqlite3-dev"),
        library("CCurl", "libcurl", "libcurl4-openssl-dev"),
        library("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        library("CYAML", "yaml-0.1", "libyaml-dev"),
        library("CDeflate", "libdeflate", "libdeflate-dev"),
        library("CCrypto", "libcrypto", "libssl-dev"),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-O3"])],
            linkerSettings: [.linkedLibrary("simdjson")]
        ),

        .target(name: "ShuntSchema", swiftSettings: strict),
        .target(name: "ShuntCore", dependencies: ["ShuntSchema"], swiftSettings: strict),
        .target(
            name: "ShuntNative",
            dependencies: ["CLinux", "CSQLite", "CCurl", "CMicroHTTPD", "CYAML", "CSimdJSON", "CDeflate", "CCrypto"],
            swiftSettings: strict
        ),
        .target(
            name: "ShuntServer",
            dependencies: ["ShuntCore", "ShuntSchema", "ShuntNative"],
            resources: [.embedInCode("openapi.json")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "shunt",
            dependencies: ["ShuntServer", "ShuntCore", "ShuntSchema", "ShuntNative"],
            swiftSettings: strict
        ),

        // What the tests of several modules use; no product does.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "ShuntSchemaTests", dependencies: ["TestSupport", "ShuntSchema"], swiftSettings: strict),
        .testTarget(
            name: "ShuntCoreTests",
            dependencies: ["TestSupport", "ShuntCore", "ShuntSchema"],
            swiftSettings: strict
        ),
        .testTarget(name: "ShuntNativeTests", dependencies: ["TestSupport", "ShuntNative"], swiftSettings: strict),
        .testTarget(
            name: "ShuntServerTests",
            dependencies: ["TestSupport", "ShuntServer", "ShuntCore", "ShuntSchema", "ShuntNative"],
            exclude: ["Notify/Golden"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["TestSupport", "shunt", "ShuntSchema", "ShuntNative"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReceiverTests",
            dependencies: ["TestSupport", "shunt", "ShuntServer", "ShuntCore", "ShuntSchema", "ShuntNative"],
            exclude: ["https_receiver.py", "smtp_receiver.py", "requirements.txt"],
            swiftSettings: strict
        ),
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)
