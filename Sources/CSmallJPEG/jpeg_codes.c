#include "jpeg_codes.h"

#include <string.h>

static jpeg_code code_of(unsigned bits, unsigned value_bits, unsigned way) {
  return (jpeg_code)(way << 9 | value_bits << 5 | bits);
}

/// The meaning of a symbol behind a code of this length, or 0 if it has none. At most 16 + 15 bits.
static jpeg_code meaning(const jpeg_table *table, unsigned length, uint8_t symbol) {
  unsigned value_bits = symbol & 15, zeros = symbol >> 4;
  if (table->is_first) return code_of(length + value_bits, value_bits, 1);
  if (value_bits > 0) return code_of(length + value_bits, value_bits, zeros + 1);
  // Sixteen zeros, or zeros to the end. The library takes other numbers of zeros for the end,
  // too; no encoder writes them.
  return zeros == 15 ? code_of(length, 0, 16) : zeros == 0 ? code_of(length, 0, JPEG_BLOCK) : 0;
}

static bool is_made_of(const jpeg_table *table, const JHUFF_TBL *stored) {
  return stored && table->is_made && memcmp(table->counts, stored->bits, sizeof table->counts) == 0 &&
         memcmp(table->symbols, stored->huffval, sizeof table->symbols) == 0;
}

static bool make_table(jpeg_table *table, const JHUFF_TBL *stored, bool is_first) {
  table->is_made = false;
  if (!stored) return false;
  memcpy(table->counts, stored->bits, sizeof table->counts);
  memcpy(table->symbols, stored->huffval, sizeof table->symbols);
  table->is_first = is_first;
  uint32_t code = 0;
  unsigned place = 0;
  for (unsigned length = 1; length <= 16; length++, code <<= 1) {
    unsigned count = stored->bits[length];
    table->offsets[length] = (int32_t)place - (int32_t)code;
    code += count;
    place += count;
    // The library refuses both, and a code of nothing but ones; it is to say so itself.
    if (place > 256 || code >= 1u << length) return false;
    table->limits[length] = code << (16 - length);
  }
  for (unsigned at = 0; at < place && is_first; at++) {
    if (table->symbols[at] > 15) return false;
  }
  return true;
}

jpeg_code jpeg_table_find(const jpeg_table *table, uint64_t bits, unsigned longest) {
  uint32_t top = (uint32_t)(bits >> 48);
  for (unsigned length = 1; length <= longest; length++) {
    if (top >= table->limits[length]) continue;
    // Below this length's limit and not below the one before: it is one of this length's codes, and its place one of
    // those that were counted. The mask makes that certain without this reasoning.
    int32_t place = (int32_t)(top >> (16 - length)) + table->offsets[length];
    return meaning(table, length, table->symbols[place & 255]);
  }
  return 0;
}

/// The number of values of `bits` bits that begin with the same code as `number`, which is the first of them, or 1 if
/// the code is longer, or there is none. Codes are ordered by length, so that each begins at a multiple of the number
/// of values that begin with it: together they cover all values.
static unsigned alike(const jpeg_table *table, unsigned number, unsigned bits) {
  for (unsigned length = 1; length <= bits; length++) {
    if (number << (16 - bits) < table->limits[length]) return 1u << (bits - length);
  }
  return 1;
}

bool jpeg_first_codes_make(jpeg_first_codes *codes, const JHUFF_TBL *table) {
  if (is_made_of(&codes->table, table)) return true;
  if (!make_table(&codes->table, table, true)) return false;
  for (unsigned number = 0; number < 1 << JPEG_FIRST_BITS;) {
    jpeg_code code = jpeg_table_find(&codes->table, (uint64_t)number << (64 - JPEG_FIRST_BITS), JPEG_FIRST_BITS);
    unsigned end = number + alike(&codes->table, number, JPEG_FIRST_BITS);
    while (number < end) codes->found[number++] = code;
  }
  codes->table.is_made = true;
  return true;
}

/// Adds codes as long as the bits and the places in a block suffice.
static jpeg_run run_from(const jpeg_rest_codes *codes, unsigned number) {
  unsigned bits = 0, way = 0;
  while (way < JPEG_END && bits < JPEG_REST_BITS) {
    // Zeros come in from behind. A code that begins with them has more bits than are left.
    jpeg_code code = codes->found[number << bits & ((1 << JPEG_REST_BITS) - 1)].code;
    bool is_end = jpeg_code_way(code) == JPEG_BLOCK;
    if (code == 0 || jpeg_code_bits(code) > JPEG_REST_BITS - bits) break;
    if (!is_end && way + jpeg_code_way(code) >= JPEG_BLOCK) break;
    bits += jpeg_code_bits(code);
    way += is_end ? JPEG_END : jpeg_code_way(code);
  }
  if (bits == 0) way = JPEG_BLOCK;
  return (jpeg_run)(way << 6 | bits);
}

bool jpeg_rest_codes_make(jpeg_rest_codes *codes, const JHUFF_TBL *table) {
  if (is_made_of(&codes->table, table)) return true;
  if (!make_table(&codes->table, table, false)) return false;
  for (unsigned number = 0; number < 1 << JPEG_REST_BITS;) {
    jpeg_code code = jpeg_table_find(&codes->table, (uint64_t)number << (64 - JPEG_REST_BITS), JPEG_REST_BITS);
    unsigned end = number + alike(&codes->table, number, JPEG_REST_BITS);
    while (number < end) codes->found[number++].code = code;
  }
  for (unsigned number = 0; number < 1 << JPEG_REST_BITS; number++) codes->found[number].run = run_from(codes, number);
  codes->table.is_made = true;
  return true;
}
