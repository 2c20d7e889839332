// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target of the package is held to.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  // By default a type like `[UInt64: Failure]` is found at run time by its name, and each of its requirements by going over all
  // conformances that there are. An image from the cache takes 2.99 million instructions by names and 2.12 by accessors.
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"], .when(configuration: .release)),
]

/// What the program and its core are held to besides.
let lean: [SwiftSetting] = [
  .strictMemorySafety(),
  // One `contains("text")` would link 1 MB of regular expressions in. So there is none to call.
  .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
  // So that the linker can leave out functions that are never called.
  .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

/// The released program starts in 0.2 x the time of `curl --version` because nothing but libc, libm and the loader
/// is left for the loader to find: the Swift runtime, libstdc++ and the C libraries are linked in.
/// `Scripts/link` holds one-line linker scripts that turn the `-lNAME` of a pkg-config file into its static archive.
/// With IMGFETCH_DYNAMIC in the environment all but the Swift runtime is loaded, as distributions want it (`Scripts/package --dynamic`).
let staticFolders = Context.environment["IMGFETCH_DYNAMIC"] == nil ? ["runtime", "codecs"] : []
let staticLinking: [LinkerSetting] = [
  .unsafeFlags(
    staticFolders.flatMap { ["-L", "\(Context.packageDirectory)/Scripts/link/\($0)"] }
      + (staticFolders.isEmpty ? [] : ["-Xclang-linker", "-static-libgcc"]) + [
        "-static-stdlib", "-use-ld=lld",
        "-Xlinker", "--as-needed",
        // No `-z pack-relative-relocs`: what is linked with it asks for glibc 2.36.
        // Nothing that is loaded into this program calls it.
        "-Xlinker", "--no-export-dynamic",
        // All that is called is found at the start, and then cannot be changed any more: there are 260 such calls only.
        "-Xlinker", "-z", "-Xlinker", "now",
        // A start reads fewer pages where what it calls lies together: `--version` takes 0.92 of the time without, an image
        // from the cache 0.9. Names of the list that are gone do no harm. `Scripts/order` makes it anew.
        "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Scripts/link/order",
        "-Xlinker", "--no-warn-symbol-ordering",
        // With IMGFETCH_SYMBOLS in the environment, functions keep their names, for profilers.
        "-Xlinker", Context.environment["IMGFETCH_SYMBOLS"] == nil ? "-s" : "-S",
      ], .when(configuration: .release))
]

/// The C library's own checks of lengths. The compiler's further protections are flags that a dependency may not have:
/// `Scripts/build` gives them.
let hardened: [CSetting] = [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]

/// What `--version` says of the archives that are linked in; `Scripts/build` finds out.
let linked: [CSetting] =
  Context.environment["IMGFETCH_LINKED"].map { [.define("IMGFETCH_LINKED", to: "\"\($0)\"")] } ?? []

/// Our own decoder for thumbnails; with IMGFETCH_NO_SMALL_JPEG in the environment, one that leaves all to libjpeg-turbo.
let smallJPEG = Target.target(
  name: "CSmallJPEG",
  exclude: Context.environment["IMGFETCH_NO_SMALL_JPEG"] == nil ? ["none.c"] : ["jpeg_codes.c", "jpeg_small.c"],
  cSettings: hardened)

let package = Package(
  name: "imgfetch",
  products: [
    .library(name: "ImgfetchCore", targets: ["ImgfetchCore"]),
    .executable(name: "imgfetch", targets: ["imgfetch"]),
  ],
  targets: [
    .executableTarget(
      name: "imgfetch",
      dependencies: [
        "ImgfetchCore", "ImgfetchDataSet", "ImgfetchShow", "ImgfetchPages", "ImgfetchReport", "CStartShim",
      ],
      swiftSettings: house + lean + [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))],
      linkerSettings: staticLinking),
    .target(
      name: "ImgfetchCore",
      dependencies: [
        "CPosixShim", "CSandboxShim", "CHashShim", "CCurlShim", "CCryptoShim", "CImageShim", "CIdnShim", "CZlib",
        "CDeflate",
      ],
      swiftSettings: house + lean),

    // What the program has beside the core: each a module of its own, linked into the one binary.
    .target(name: "ImgfetchDataSet", dependencies: ["ImgfetchCore"], swiftSettings: house + lean),
    .target(name: "ImgfetchShow", dependencies: ["ImgfetchCore"], swiftSettings: house + lean),
    .target(name: "ImgfetchPages", dependencies: ["ImgfetchCore"], swiftSettings: house + lean),
    .target(name: "ImgfetchReport", dependencies: ["ImgfetchCore"], swiftSettings: house + lean),

    // The C seams: what Swift cannot say, and the headers of the libraries that it calls.
    .target(
      name: "CStartShim",
      cSettings: hardened + linked + [.define("IMGFETCH_OLDER_GLIBC", .when(configuration: .release))]),
    .target(name: "CPosixShim", cSettings: hardened),
    .target(name: "CSandboxShim", cSettings: hardened),
    .target(name: "CHashShim", cSettings: hardened),
    smallJPEG,
    .target(
      name: "CImageShim", dependencies: ["CSmallJPEG"], cSettings: hardened,
      linkerSettings: ["jpeg", "png16", "gif", "webpmux", "webpdemux", "webp", "zimg", "z", "m"].map {
        .linkedLibrary($0)
      }),
    .target(name: "CCurlShim", cSettings: hardened, linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CCryptoShim", cSettings: hardened),
    .target(name: "CIdnShim", cSettings: hardened, linkerSettings: [.linkedLibrary("dl")]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CDeflate", providers: [.apt(["libdeflate-dev"])]),

    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .executableTarget(
      name: "bench-tool", dependencies: ["ImgfetchCore", "ImgfetchDataSet", "CZlib", "TestSupport", "CTestSupport"],
      path: "Tests/BenchTool", swiftSettings: house),
    .target(
      name: "TestSupport", dependencies: ["ImgfetchCore", "CTestSupport", "CZlib"], path: "Tests/TestSupport",
      swiftSettings: house),
    .testTarget(
      name: "ImgfetchCoreTests", dependencies: ["ImgfetchCore", "TestSupport", "CCryptoShim"], swiftSettings: house),
    .testTarget(
      name: "ImgfetchDataSetTests", dependencies: ["ImgfetchDataSet", "ImgfetchCore", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "ImgfetchShowTests", dependencies: ["ImgfetchShow", "ImgfetchCore", "TestSupport"], swiftSettings: house),
    .testTarget(name: "ImgfetchPagesTests", dependencies: ["ImgfetchPages"], swiftSettings: house),
    .testTarget(name: "ImgfetchReportTests", dependencies: ["ImgfetchReport"], swiftSettings: house),
    .testTarget(name: "imgfetchTests", dependencies: ["imgfetch", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["imgfetch", "ImgfetchCore", "ImgfetchDataSet", "ImgfetchPages", "TestSupport"],
      exclude: ["Seeds"], swiftSettings: house),
    .testTarget(name: "EndToEndTests", dependencies: ["TestSupport"], swiftSettings: house),
  ]
)

// For `Scripts/fuzz`: the same code, instrumented, with libFuzzer's `main` in the place of the program's.
if Context.environment["IMGFETCH_FUZZ"] != nil {
  let instrumented: [SwiftSetting] = [
    .define("FUZZER"), .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"]),
  ]
  package.products = []
  package.targets.removeAll { $0.type == .test || $0.name == "imgfetch" || $0.name == "bench-tool" }
  for target in package.targets where ["ImgfetchCore", "ImgfetchDataSet", "ImgfetchPages"].contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + instrumented
  }
  for target in package.targets where ["CImageShim", "CSmallJPEG"].contains(target.name) {
    target.cSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
  }
  package.targets += [
    .target(
      name: "imgfetch",
      dependencies: [
        "ImgfetchCore", "ImgfetchDataSet", "ImgfetchShow", "ImgfetchPages", "ImgfetchReport", "CStartShim",
      ],
      exclude: ["Main.swift"],
      swiftSettings: house + instrumented),
    .executableTarget(
      name: "fuzz", dependencies: ["imgfetch", "ImgfetchCore", "ImgfetchDataSet", "ImgfetchPages", "TestSupport"],
      path: "Tests/FuzzTests",
      exclude: ["Seeds", "ReplayTests.swift", "Mutation.swift"], swiftSettings: house + instrumented,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
  ]
}

// For `Scripts/sanitize undefined`: the C seams. Swift has no such checks to be switched on; it traps.
if Context.environment["IMGFETCH_UNDEFINED"] != nil {
  for target in package.targets where target.type == .regular && target.name.hasPrefix("C") {
    target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=undefined", "-fno-sanitize-recover=all"])]
  }
  for target in package.targets where target.type == .executable || target.type == .test {
    target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-Xclang-linker", "-fsanitize=undefined"])]
  }
}
