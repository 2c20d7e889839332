// XXH3-128, which names and checks every cache entry. xxHash is a header-only library here: compiled into this one
// file, so that nothing is left to load at start-up.
#ifndef IMGFETCH_HASH_SHIM_H
#define IMGFETCH_HASH_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t high;
  uint64_t low;
} imgfetch_hash128;

/// The hash of `length` bytes at once.
imgfetch_hash128 imgfetch_hash(const void *_Nullable bytes, size_t length);

/// The version of xxHash that this was built with, as major * 10000 + minor * 100 + release.
unsigned imgfetch_hash_version(void);

/// A running hash. Made by `imgfetch_hash_begin`, ended (and freed) by `imgfetch_hash_free`. NULL if memory is short.
typedef struct imgfetch_hash_state imgfetch_hash_state;
imgfetch_hash_state *_Nullable imgfetch_hash_begin(void);
void imgfetch_hash_feed(imgfetch_hash_state *_Nonnull state, const void *_Nullable bytes, size_t length);
/// The hash if no more bytes come. The state can take more.
imgfetch_hash128 imgfetch_hash_value(const imgfetch_hash_state *_Nonnull state);
void imgfetch_hash_free(imgfetch_hash_state *_Nonnull state);

#endif
