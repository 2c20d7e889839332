// A JPEG's Huffman codes, prepared so that several are skipped at once.
#ifndef IMGFETCH_JPEG_CODES_H
#define IMGFETCH_JPEG_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  /// Bits of the first coefficient's code, of which there is one for each block.
  JPEG_FIRST_BITS = 9,
  /// Bits of the others'. So many hold nearly every code of a photograph, mostly two; the tables for light and colours
  /// are 32 KB then. More were no faster.
  JPEG_REST_BITS = 12,
  /// The number of a block's coefficients.
  JPEG_BLOCK = 64,
  /// The distance of a block's early end: beyond all its places, so that the position before it can be recovered.
  JPEG_END = 128,
};

/// One code with its value: how many bits they have in all, how many of them are the value's, and how many places it
/// goes on in the block. 0 is no code.
typedef uint16_t jpeg_code;

static inline unsigned jpeg_code_bits(jpeg_code code) { return code & 31; }
static inline unsigned jpeg_code_value_bits(jpeg_code code) { return code >> 5 & 15; }
/// JPEG_BLOCK at the block's early end.
static inline unsigned jpeg_code_way(jpeg_code code) { return code >> 9; }

/// All whole codes in some bits: their bits in all, and the places that they cover. The last of
/// them may be the block's end.
typedef uint16_t jpeg_run;

static inline unsigned jpeg_run_bits(jpeg_run run) { return run & 63; }
static inline unsigned jpeg_run_way(jpeg_run run) { return run >> 6; }

/// The code at the beginning of the next bits.
typedef struct {
  /// The run of whole codes. If not even one is whole it goes on by JPEG_BLOCK, which is never valid.
  jpeg_run run;
  /// 0 if there is none, or a longer one.
  jpeg_code code;
} jpeg_rest;

/// The codes of one table of the file, by all lengths.
typedef struct {
  /// The first 16 bits, for each length, that no code up to it begins with; and the offset from a code to its place.
  uint32_t limits[17];
  int32_t offsets[17];
  uint8_t symbols[256];
  /// The number of codes of each length. With the symbols that is all that the file says.
  uint8_t counts[17];
  bool is_first;
  /// True if the members below were made from the table.
  bool is_made;
} jpeg_table;

typedef struct {
  jpeg_table table;
  jpeg_code found[1 << JPEG_FIRST_BITS];
} jpeg_first_codes;

typedef struct {
  jpeg_table table;
  jpeg_rest found[1 << JPEG_REST_BITS];
} jpeg_rest_codes;

/// False if the table is missing, or not one that the library takes. Codes that were made of the same
/// table are left as they are.
bool jpeg_first_codes_make(jpeg_first_codes *codes, const JHUFF_TBL *table);
bool jpeg_rest_codes_make(jpeg_rest_codes *codes, const JHUFF_TBL *table);

/// The code of up to `longest` bits that 64 bits begin with, or 0.
jpeg_code jpeg_table_find(const jpeg_table *table, uint64_t bits, unsigned longest);

#endif
