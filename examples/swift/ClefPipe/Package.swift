// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "ClefPipe",
    platforms: [.macOS(.v13)],
    products: [.library(name: "ClefPipe", targets: ["ClefPipe"])],
    targets: [
        .target(name: "ClefPipe"),
        .executableTarget(name: "triage", dependencies: ["ClefPipe"]),
    ]
)
