// swift-tools-version: 6.2
import PackageDescription

/// A package as another author would write it: it knows the library by its public face and by nothing else.
let package = Package(
  name: "consumer",
  dependencies: [.package(name: "imgfetch", path: "../..")],
  targets: [
    .executableTarget(name: "thumbnail-server", dependencies: [.product(name: "ImgfetchCore", package: "imgfetch")]),
    .executableTarget(name: "consumer", dependencies: [.product(name: "ImgfetchCore", package: "imgfetch")]),
  ]
)
