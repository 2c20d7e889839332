#include <stdatomic.h>
#include <string.h>

#include "CCryptoShim.h"
#include "constants.h"

void imgfetch_sha256_begin(imgfetch_sha256 *state) {
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memset(state, 0, sizeof *state);
  memcpy(state->words, first, sizeof first);
}

static inline uint32_t turned(uint32_t word, int count) { return word >> count | word << (32 - count); }

static inline uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void imgfetch_sha256_blocks_plain(uint32_t words[8], const uint8_t *bytes, size_t count) {
  for (; count; count--, bytes += IMGFETCH_SHA256_BLOCK) {
    // The 64 words of the schedule, of which only the last 16 are ever looked back to.
    uint32_t schedule[16];
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    uint32_t e = words[4], f = words[5], g = words[6], h = words[7];
    for (int round = 0; round < 64; round++) {
      uint32_t word;
      if (round < 16) {
        word = big_endian(bytes + 4 * round);
      } else {
        uint32_t early = schedule[(round - 15) & 15], late = schedule[(round - 2) & 15];
        word = schedule[round & 15] + schedule[(round - 7) & 15] +
               (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
      }
      schedule[round & 15] = word;
      uint32_t first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) +
                       imgfetch_sha256_constants[round] + word;
      uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    words[0] += a, words[1] += b, words[2] += c, words[3] += d;
    words[4] += e, words[5] += f, words[6] += g, words[7] += h;
  }
}

static void take(uint32_t words[8], const uint8_t *bytes, size_t count) {
  // Asking an x86 processor costs 27 us in a virtual machine, where the host answers. A key has two blocks,
  // which take 0.9 us in plain C and 0.2 by the processor's instructions: it is asked when that has been worth
  // it, or something larger comes.
  static atomic_uint plain_blocks;
  unsigned before = atomic_load_explicit(&plain_blocks, memory_order_relaxed);
  if (before + count <= 64) {
    atomic_store_explicit(&plain_blocks, before + (unsigned)count, memory_order_relaxed);
  } else if (imgfetch_sha256_is_native()) {
    return imgfetch_sha256_blocks_native(words, bytes, count);
  }
  imgfetch_sha256_blocks_plain(words, bytes, count);
}

void imgfetch_sha256_feed(imgfetch_sha256 *state, const void *given, size_t length) {
  const uint8_t *bytes = given;
  size_t held = state->length % IMGFETCH_SHA256_BLOCK;
  state->length += length;
  if (held) {
    size_t missing = IMGFETCH_SHA256_BLOCK - held, some = length < missing ? length : missing;
    if (some) memcpy(state->rest + held, bytes, some);
    if (some < missing) return;
    take(state->words, state->rest, 1);
    bytes += some, length -= some;
  }
  size_t blocks = length / IMGFETCH_SHA256_BLOCK;
  if (blocks) take(state->words, bytes, blocks);
  size_t left = length % IMGFETCH_SHA256_BLOCK;
  if (left) memcpy(state->rest, bytes + (length - left), left);
}

void imgfetch_sha256_end(imgfetch_sha256 *state, uint8_t digest[IMGFETCH_SHA256_LENGTH]) {
  // A one, zeros up to the last eight bytes of a block, and how many bits came.
  uint8_t tail[2 * IMGFETCH_SHA256_BLOCK] = {0};
  size_t held = state->length % IMGFETCH_SHA256_BLOCK;
  size_t blocks = held < IMGFETCH_SHA256_BLOCK - 8 ? 1 : 2;
  memcpy(tail, state->rest, held);
  tail[held] = 0x80;
  uint64_t bits = state->length * 8;
  for (int at = 1; at <= 8; at++, bits >>= 8) tail[blocks * IMGFETCH_SHA256_BLOCK - at] = (uint8_t)bits;
  take(state->words, tail, blocks);
  for (int at = 0; at < IMGFETCH_SHA256_LENGTH; at++) digest[at] = (uint8_t)(state->words[at / 4] >> (24 - at % 4 * 8));
}
