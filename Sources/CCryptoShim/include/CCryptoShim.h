// SHA-256 (FIPS 180-4), compiled in, with the processor's own instructions where it has them. Each output's key is
// hashed by it. libcrypto's is as fast, but its loading takes nearly as long as an answer from the cache; linked in, it
// asks the processor at each start. Speed.md has the figures.
#ifndef IMGFETCH_CRYPTO_SHIM_H
#define IMGFETCH_CRYPTO_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

#define IMGFETCH_SHA256_LENGTH 32
#define IMGFETCH_SHA256_BLOCK 64

/// A running SHA-256. `imgfetch_sha256_begin` makes it ready; it holds nothing that would have to be freed.
typedef struct {
  uint64_t length;
  uint32_t words[8];
  /// The beginning of a block whose end has not come yet.
  uint8_t rest[IMGFETCH_SHA256_BLOCK];
} imgfetch_sha256;

void imgfetch_sha256_begin(imgfetch_sha256 *state);
void imgfetch_sha256_feed(imgfetch_sha256 *state, const void *_Nullable bytes, size_t length);
/// Writes the digest. Nothing may be fed afterwards.
void imgfetch_sha256_end(imgfetch_sha256 *state, uint8_t digest[_Nonnull IMGFETCH_SHA256_LENGTH]);

/// True if this processor has instructions for SHA-256. The first call asks the processor.
bool imgfetch_sha256_is_native(void);

/// The same blocks in plain C, whatever the processor has: for the tests, which compare.
void imgfetch_sha256_blocks_plain(uint32_t words[_Nonnull 8], const uint8_t *bytes, size_t count);
/// The same by the processor's instructions, which must be there.
void imgfetch_sha256_blocks_native(uint32_t words[_Nonnull 8], const uint8_t *bytes, size_t count);

#pragma clang assume_nonnull end

#endif
