// SHA-256 by the processor's own instructions: four rounds at a time, and four words of the schedule
// from the sixteen before.
#include "CCryptoShim.h"
#include "constants.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

static bool ask(void) {
  unsigned a, b, c, d;
  // Both sit behind SSE: SHA's own instructions, and the shuffles of SSSE3 and SSE 4.1 that they are used with.
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

bool imgfetch_sha256_is_native(void) {
  static atomic_int answer;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == 0) {
    known = ask() ? 1 : 2;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == 1;
}

__attribute__((target("sha,ssse3,sse4.1"))) void imgfetch_sha256_blocks_native(uint32_t words[8], const uint8_t *bytes,
                                                                                size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the words as (a b e f) and (c d g h), from the highest to the lowest.
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xB1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (; count; count--, bytes += IMGFETCH_SHA256_BLOCK) {
    __m128i abef_before = abef, cdgh_before = cdgh, schedule[4];
#pragma clang loop unroll(full)
    for (int four = 0; four < 16; four++) {
      __m128i next;
      if (four < 4) {
        next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * four)), big_endian);
      } else {
        __m128i last = schedule[(four + 3) & 3], before = schedule[(four + 2) & 3];
        next = _mm_sha256msg1_epu32(schedule[four & 3], schedule[(four + 1) & 3]);
        next = _mm_sha256msg2_epu32(_mm_add_epi32(next, _mm_alignr_epi8(last, before, 4)), last);
      }
      schedule[four & 3] = next;
      __m128i sum =
          _mm_add_epi32(next, _mm_loadu_si128((const __m128i *)(imgfetch_sha256_constants + 4 * four)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(high, low, 8));
}

#elif defined(__aarch64__)

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool imgfetch_sha256_is_native(void) { return getauxval(AT_HWCAP) & HWCAP_SHA2; }

__attribute__((target("sha2"))) void imgfetch_sha256_blocks_native(uint32_t words[8], const uint8_t *bytes,
                                                                    size_t count) {
  uint32x4_t abcd = vld1q_u32(words), efgh = vld1q_u32(words + 4);
  for (; count; count--, bytes += IMGFETCH_SHA256_BLOCK) {
    uint32x4_t abcd_before = abcd, efgh_before = efgh, schedule[4];
#pragma clang loop unroll(full)
    for (int four = 0; four < 16; four++) {
      uint32x4_t next;
      if (four < 4) {
        next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * four)));
      } else {
        next = vsha256su0q_u32(schedule[four & 3], schedule[(four + 1) & 3]);
        next = vsha256su1q_u32(next, schedule[(four + 2) & 3], schedule[(four + 3) & 3]);
      }
      schedule[four & 3] = next;
      uint32x4_t sum = vaddq_u32(next, vld1q_u32(imgfetch_sha256_constants + 4 * four));
      uint32x4_t abcd_now = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcd_now, sum);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(words, abcd);
  vst1q_u32(words + 4, efgh);
}

#else

bool imgfetch_sha256_is_native(void) { return false; }

void imgfetch_sha256_blocks_native(uint32_t words[8], const uint8_t *bytes, size_t count) {
  imgfetch_sha256_blocks_plain(words, bytes, count);
}

#endif
