import ImgfetchCore

/// The pages of the manual.
enum ManualPage: String, Choice {
  case imgfetch = "imgfetch.1"
  case get = "imgfetch-get.1"
  case show = "imgfetch-show.1"
  case find = "imgfetch-find.1"
  case recipes = "imgfetch-recipes.7"
  case pack = "imgfetch-pack.1"
  case report = "imgfetch-report.1"
  case cache = "imgfetch-cache.1"
  case inspect = "imgfetch-inspect.1"
  case config = "imgfetch-config.5"
  case lists = "imgfetch-lists.5"
  case rows = "imgfetch-rows.5"
  case caching = "imgfetch-caching.7"
  case files = "imgfetch-files.7"
  case network = "imgfetch-network.7"
  case transforms = "imgfetch-transforms.7"
  case remote = "imgfetch-remote.7"
  case fleet = "imgfetch-fleet.7"
  case upgrading = "imgfetch-upgrading.7"
  case python = "imgfetch-python.7"
}
