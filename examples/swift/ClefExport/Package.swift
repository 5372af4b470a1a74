// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "ClefExport",
    platforms: [.macOS(.v14), .iOS(.v17)],
    dependencies: [.package(url: "https://github.com/ml-explore/mlx-swift", from: "0.30.0")],
    targets: [
        .executableTarget(name: "ClefExport", dependencies: [.product(name: "MLX", package: "mlx-swift")])
    ]
)
