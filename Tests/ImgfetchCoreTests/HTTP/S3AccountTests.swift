import Testing

@testable import ImgfetchCore

@Suite("Addresses in buckets") struct S3AccountTests {
  private let keys = S3Account.Keys(accessKey: "AKID", secretKey: "geheim", sessionToken: "zeichen")

  @Test(
    "A bucket's name stands in the host at Amazon, and in the path elsewhere",
    arguments: [
      ("s3://images/a/b.jpg", nil, "https://images.s3.eu-north-1.amazonaws.com/a/b.jpg"),
      ("S3://images/a/b.jpg", nil, "https://images.s3.eu-north-1.amazonaws.com/a/b.jpg"),
      ("s3://my.images/a.jpg", nil, "https://s3.eu-north-1.amazonaws.com/my.images/a.jpg"),
      ("s3://Old_Images/a.jpg", nil, "https://s3.eu-north-1.amazonaws.com/Old_Images/a.jpg"),
      ("s3://images/a.jpg", "http://127.0.0.1:9000", "http://127.0.0.1:9000/images/a.jpg"),
      ("s3://images/a.jpg", "https://minio.example.org/s3/", "https://minio.example.org/s3/images/a.jpg"),
      ("s3://images", "http://127.0.0.1:9000", "http://127.0.0.1:9000/images/"),
    ] as [(String, String?, String)])
  func places(text: String, endpoint: String?, url: String) throws {
    let account = S3Account(endpoint: try endpoint.map { try WebURL($0) }, region: "eu-north-1", keys: keys)
    #expect(try account.url(text).requestURL == url)
  }

  @Test("The profile may say where the name stands")
  func addressing() throws {
    let endpoint = try WebURL("https://store.example.org:9000")
    let virtual = S3Account(endpoint: endpoint, keys: keys, addressing: .virtual)
    #expect(try virtual.url("s3://images/a").requestURL == "https://images.store.example.org:9000/a")
    let path = S3Account(keys: keys, addressing: .path)
    #expect(try path.url("s3://images/a").requestURL == "https://s3.us-east-1.amazonaws.com/images/a")
  }

  @Test(
    "A key is taken as it is written",
    arguments: [
      ("a b+c", "a%20b%2Bc"), ("100%", "100%25"), ("a%20b", "a%2520b"), ("what?v=1#top", "what%3Fv%3D1%23top"),
      ("ü/(1)'!*~", "%C3%BC/%281%29%27%21%2A~"), ("a/../b/./c//d", "a/../b/./c//d"), ("a:b@c", "a%3Ab%40c"),
    ])
  func keysAsWritten(key: String, path: String) throws {
    let url = try S3Account(endpoint: WebURL("http://h"), keys: keys).url("s3://b/\(key)")
    #expect(url.path == "/b/\(path)" && url.query == nil)
    #expect(url.display == "s3://b/\(key)")
    #expect(url.canonical == "http://h/b/\(path)")
  }

  @Test("What cannot be a bucket is refused", arguments: ["s3://", "s3:///a", "s3://a:b@c/d", "s3://../a", "s3://ü/a"])
  func refused(text: String) { #expect(throws: URLFailure.self) { try S3Account(keys: keys).url(text) } }

  @Test("What lies below an address has its account; what a server names has none")
  func descent() throws {
    let account = S3Account(keys: keys)
    let url = try account.url("s3://images/cache/")
    let below = try #require(url.below("/v1/default/ab/cd"))
    #expect(below.requestURL == "https://images.s3.us-east-1.amazonaws.com/cache/v1/default/ab/cd")
    #expect(below.display == "s3://images/cache/v1/default/ab/cd")
    #expect(below.account === account)
    #expect(try url.resolving("/cache/x").account == nil)
    #expect(try S3Account(keys: nil).url("s3://images/a").account == nil)
  }

  @Test("Neither half of the keys that is secret is ever shown")
  func shown() throws {
    let account = S3Account(keys: keys)
    let url = try account.url("s3://images/a")
    for text in ["\(account)", "\(keys)", "\(url)", String(reflecting: account), String(reflecting: keys)] {
      #expect(!text.contains("geheim") && !text.contains("zeichen"))
    }
  }
}

@Suite("Accounts by the usual variables and files") struct S3ProfileTests {
  private func account(
    _ variables: [String: String] = [:], credentials: String = "", configuration: String = ""
  ) throws -> S3Account {
    try S3Profile(variable: { variables[$0] }, credentials: credentials, configuration: configuration).account()
  }

  @Test("A ~ in the name of a file is the user's folder")
  func home() {
    let variables = [
      "HOME": "/a", "AWS_CONFIG_FILE": "~/settings/config", "AWS_SHARED_CREDENTIALS_FILE": "/keys/~",
    ]
    #expect(S3Profile.configurationFile { variables[$0] } == "/a/settings/config")
    #expect(S3Profile.credentialsFile { variables[$0] } == "/keys/~")
    #expect(S3Profile.configurationFile { $0 == "HOME" ? "/a" : nil } == "/a/.aws/config")
  }

  @Test("Without any, nothing is signed, and the region is Amazon's first")
  func nothing() throws {
    let account = try account()
    #expect(account.keys == nil && account.region == "us-east-1" && account.endpoint == nil)
  }

  @Test("Variables go before the credentials file, and that before the configuration file")
  func precedence() throws {
    let credentials = "[default]\naws_access_key_id = F\naws_secret_access_key=S=/+\naws_session_token =T\n"
    let configuration = "[default]\nregion = eu-west-1\naws_access_key_id = C\naws_secret_access_key = D\n"
    let file = try account(credentials: credentials, configuration: configuration)
    #expect(file.keys == S3Account.Keys(accessKey: "F", secretKey: "S=/+", sessionToken: "T"))
    #expect(file.region == "eu-west-1")
    #expect(try account(configuration: configuration).keys?.accessKey == "C")
    let variables = [
      "AWS_ACCESS_KEY_ID": "V", "AWS_SECRET_ACCESS_KEY": "W", "AWS_DEFAULT_REGION": "a", "AWS_REGION": "b",
    ]
    let given = try account(variables, credentials: credentials, configuration: configuration)
    #expect(given.keys == S3Account.Keys(accessKey: "V", secretKey: "W"))
    #expect(given.region == "b")
  }

  @Test("A profile has its own keys, region, endpoint and addressing")
  func profile() throws {
    let configuration = """
      # comment
      [default]
      region = nowhere
      [profile work]
      region = eu-central-1
      endpoint_url = http://127.0.0.1:9000
      s3 =
        addressing_style = virtual
        max_concurrent_requests = 20
      output = json
      """
    let account = try account(
      ["AWS_PROFILE": "work"], credentials: "[work]\r\nAWS_ACCESS_KEY_ID = A:b\r\naws_secret_access_key = s\r\n",
      configuration: configuration)
    #expect(account.keys == S3Account.Keys(accessKey: "A:b", secretKey: "s"))
    #expect(account.region == "eu-central-1" && account.addressing == .virtual)
    #expect(account.endpoint?.requestURL == "http://127.0.0.1:9000/")
  }

  @Test("An endpoint for S3 alone goes before one for all services")
  func endpoint() throws {
    let both = ["AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://b"]
    #expect(try account(both).endpoint?.host == "b")
    #expect(try account(["AWS_ENDPOINT_URL": "http://a"]).endpoint?.host == "a")
  }

  @Test(
    "A mistake says what to do, and shows no secret",
    arguments: [
      (["AWS_PROFILE": "missing"], "", "missing"),
      (["AWS_REGION": "a.evil.example/"], "", "AWS_REGION"),
      (["AWS_ENDPOINT_URL": "ftp://me:geheim@a"], "", "AWS_ENDPOINT_URL"),
      (["AWS_ACCESS_KEY_ID": "a\nb", "AWS_SECRET_ACCESS_KEY": "geheim"], "", "access key"),
      ([:], "[default]\ncredential_process = geheim\n", "export-credentials"),
      ([:], "[default]\ns3 =\n  addressing_style = sideways\n", "addressing_style"),
    ] as [([String: String], String, String)])
  func mistakes(variables: [String: String], configuration: String, words: String) throws {
    let mistake = try #require(throws: S3Profile.Mistake.self) {
      try account(variables, configuration: configuration)
    }
    #expect(mistake.reason.contains(words) && !mistake.reason.contains("geheim"))
  }
}
