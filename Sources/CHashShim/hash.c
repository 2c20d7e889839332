#define XXH_INLINE_ALL
#if !__has_include(<xxhash.h>)
#error "<xxhash.h> is missing; on Debian and Ubuntu: apt-get install libxxhash-dev"
#endif
#include <xxhash.h>

#include "CHashShim.h"

static imgfetch_hash128 pair(XXH128_hash_t hash) {
  imgfetch_hash128 result = {hash.high64, hash.low64};
  return result;
}

imgfetch_hash128 imgfetch_hash(const void *bytes, size_t length) { return pair(XXH3_128bits(bytes, length)); }

unsigned imgfetch_hash_version(void) { return XXH_VERSION_NUMBER; }

imgfetch_hash_state *imgfetch_hash_begin(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state) XXH3_128bits_reset(state);
  return (imgfetch_hash_state *)state;
}

void imgfetch_hash_feed(imgfetch_hash_state *state, const void *bytes, size_t length) {
  XXH3_128bits_update((XXH3_state_t *)state, bytes, length);
}

imgfetch_hash128 imgfetch_hash_value(const imgfetch_hash_state *state) {
  return pair(XXH3_128bits_digest((const XXH3_state_t *)state));
}

void imgfetch_hash_free(imgfetch_hash_state *state) { XXH3_freeState((XXH3_state_t *)state); }
