// JPEG through libjpeg-turbo. The library's warning about corrupt data is a failure here: it goes on with grey where
// data is missing, and would report half a file as a whole picture.
#include "libraries.h"

#include "CImageShim.h"
#include "CSmallJPEG.h"
#include "decoder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>
// How the library's parts call each other. Some systems do without this header, and so can we.
#if __has_include(<jpegint.h>)
#include <jpegint.h>
#define HAS_PARTS 1
#else
#define HAS_PARTS 0
#endif

/// A piece of the file for each turn.
enum { PIECE = 64 << 10 };

typedef struct {
  imgfetch_decoder base;
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf escape;
  uint64_t offset;
  bool is_created;
  bool is_begun;
  /// True if the missing end mark was given to the library.
  bool is_ended;
  /// Pieces of a profile that came, of those that were announced. One whose pieces are not in order is none.
  int profile_pieces;
  int profile_pieces_announced;
  uint8_t *piece;
  /// The decoder in the library's place, and the number of rows that came of it.
  imgfetch_small_jpeg *small;
  uint32_t small_rows;
  /// The place where the library writes rows; see `read_row`.
  uint8_t *row;
  /// The maker of the picture at an eighth of its size, from the blocks that the library decodes, and the
  /// library's entropy decoder.
  imgfetch_small_jpeg *eighth;
  boolean (*decode_unit)(j_decompress_ptr jpeg, JBLOCKROW *blocks);
} jpeg_decoder;

enum {
  /// The library's vectors are of 16 or 32 bytes. An address that is this much beyond a multiple of
  /// them is aligned for neither.
  OFF_ALIGNMENT = 8,
  VECTOR = 32,
};

static jpeg_decoder *of(j_common_ptr common) { return common->client_data; }

static void give_up(j_common_ptr common) {
  jpeg_decoder *self = of(common);
  char reason[JMSG_LENGTH_MAX];
  common->err->format_message(common, reason);
  int kind;
  switch (common->err->msg_code) {
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL: kind = IMGFETCH_UNSUPPORTED; break;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: kind = IMGFETCH_TOO_LARGE; break;
    default: kind = IMGFETCH_DAMAGED;
  }
  if (kind == IMGFETCH_TOO_LARGE) snprintf(reason, sizeof reason, "it needs more memory than there is for it");
  imgfetch_fail(&self->base.trouble, kind, reason);
  longjmp(self->escape, 1);
}

static void hear(j_common_ptr common, int level) {
  if (level >= 0) return;
  switch (common->err->msg_code) {
    // Notes about metadata, which say nothing about pixels.
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR: return;
    // Before the first scan only the segments count that were found.
    case JWRN_EXTRANEOUS_DATA:
      if (of(common)->jpeg.input_scan_number == 0) return;
      break;
    default: break;
  }
  give_up(common);
}

static void keep_quiet(j_common_ptr common) {}

/// A progressive file of a few bytes can ask for thousands of passes over a large picture.
static void watch(j_common_ptr common) {
  jpeg_decoder *self = of(common);
  if ((uint32_t)self->jpeg.input_scan_number <= self->base.options.scans) return;
  imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it has more scans than are worth its pixels");
  longjmp(self->escape, 1);
}

/// True if a scan adds nothing to a picture of this size: where a block becomes one pixel, only its first coefficient
/// counts, and a progressive file has the others in scans of their own.
static bool is_needless(jpeg_decoder *self, const uint8_t *content, size_t length) {
  if (length < 6 || content[0] != 1 || content[3] == 0) return false;
  for (int at = 0; at < self->jpeg.num_components; at++) {
    const jpeg_component_info *component = &self->jpeg.comp_info[at];
    if (component->component_id == content[1]) return component->DCT_scaled_size == 1;
  }
  return false;
}

/// The place of the mark that ends the coded data at `at`; `length` if there is none.
static size_t end_of_data(const uint8_t *bytes, size_t length, size_t at) {
  for (;;) {
    at += imgfetch_find_mark(bytes + at, length - at);
    if (at + 1 >= length) return length;
    if (bytes[at + 1] < 0xD0 || bytes[at + 1] > 0xD7) return at;
    at += 2;
  }
}

/// Gives the library the bytes from `from` (coded data, or a mark) to the next scan that is needless, and notes where
/// it goes on behind that. Unintelligible bytes are passed on as they are, for the library to reject.
static void give_needed(jpeg_decoder *self, size_t from) {
  const uint8_t *bytes = self->base.input.bytes;
  size_t length = (size_t)self->base.input.length, end = length;
  self->offset = length;
  for (size_t at = end_of_data(bytes, length, from); at + 4 <= length;) {
    size_t segment = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    if (bytes[at + 1] == 0xD9 || bytes[at + 1] == 0xFF || segment < 2 || segment > length - at - 2) break;
    size_t next = at + 2 + segment;
    bool is_scan = bytes[at + 1] == 0xDA;
    if (is_scan) next = end_of_data(bytes, length, next);
    if (is_scan && is_needless(self, bytes + at + 4, segment - 2)) {
      end = at;
      self->offset = next;
      break;
    }
    at = next;
  }
  self->source.next_input_byte = bytes + from;
  self->source.bytes_in_buffer = end - from;
}

/// Leaves out scans that are not needed, where they can be recognised: in a progressive file in memory, behind
/// its first scan's header.
static void leave_out_needless(jpeg_decoder *self) {
  if (!self->base.input.bytes || !self->jpeg.progressive_mode || self->jpeg.min_DCT_scaled_size != 1) return;
  // Otherwise the library fills in data that it takes to be missing.
  self->jpeg.do_block_smoothing = FALSE;
  give_needed(self, (size_t)(self->source.next_input_byte - self->base.input.bytes));
}

static void begin_source(j_decompress_ptr jpeg) {}

static boolean fill(j_decompress_ptr jpeg) {
  jpeg_decoder *self = of((j_common_ptr)jpeg);
  // Several needless scans may follow each other.
  while (self->base.input.bytes && self->offset < self->base.input.length) {
    give_needed(self, (size_t)self->offset);
    if (self->source.bytes_in_buffer > 0) return TRUE;
  }
  int64_t got = imgfetch_input_read(&self->base.input, self->offset, self->piece, PIECE, &self->base.trouble);
  if (got < 0) longjmp(self->escape, 1);
  if (got == 0 && self->base.options.lacks_end && !self->is_ended) {
    static const uint8_t end[2] = {0xFF, 0xD9};
    self->is_ended = true;
    self->source.next_input_byte = end;
    self->source.bytes_in_buffer = sizeof end;
    return TRUE;
  }
  if (got == 0) {
    imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "it ends before its pixels do");
    longjmp(self->escape, 1);
  }
  self->offset += (uint64_t)got;
  self->source.next_input_byte = self->piece;
  self->source.bytes_in_buffer = (size_t)got;
  return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
  jpeg_decoder *self = of((j_common_ptr)jpeg);
  if (count <= 0) return;
  if ((size_t)count <= self->source.bytes_in_buffer) {
    self->source.next_input_byte += count;
    self->source.bytes_in_buffer -= (size_t)count;
  } else {
    self->offset += (uint64_t)count - self->source.bytes_in_buffer;
    self->source.bytes_in_buffer = 0;
  }
}

static void end_source(j_decompress_ptr jpeg) {}

static int byte(j_decompress_ptr jpeg) {
  if (jpeg->src->bytes_in_buffer == 0) fill(jpeg);
  jpeg->src->bytes_in_buffer--;
  return *jpeg->src->next_input_byte++;
}

/// Reads an APP1 or APP2 segment. The library would keep all of them; only EXIF and pieces of a profile are wanted, up
/// to a limit.
static boolean take_segment(j_decompress_ptr jpeg) {
  jpeg_decoder *self = of((j_common_ptr)jpeg);
  imgfetch_decoder *base = &self->base;
  int length = byte(jpeg) << 8;
  length = (length | byte(jpeg)) - 2;
  // A segment that is cut short has nothing in it.
  if (length < 0) return TRUE;
  bool is_exif = jpeg->unread_marker == JPEG_APP0 + 1 && !base->exif && length > 6;
  bool is_profile = jpeg->unread_marker == JPEG_APP0 + 2 && length > 14;
  if (!is_exif && !is_profile) {
    skip(jpeg, length);
    return TRUE;
  }
  static const uint8_t exif_name[6] = "Exif\0", profile_name[12] = "ICC_PROFILE";
  uint8_t head[14];
  int head_length = is_exif ? 6 : 14;
  for (int at = 0; at < head_length; at++) head[at] = (uint8_t)byte(jpeg);
  length -= head_length;
  bool is_wanted = is_exif ? memcmp(head, exif_name, 6) == 0 : memcmp(head, profile_name, 12) == 0;
  uint8_t **kept = is_exif ? &base->exif : &base->profile;
  size_t *kept_length = is_exif ? &base->exif_length : &base->profile_length;
  if (!is_wanted || *kept_length + (size_t)length > base->options.metadata) {
    skip(jpeg, length);
    return TRUE;
  }
  if (is_profile) {
    self->profile_pieces_announced = head[12] == ++self->profile_pieces ? head[13] : -1;
  }
  uint8_t *grown = realloc(*kept, *kept_length + (size_t)length);
  if (!grown) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
  *kept = grown;
  for (int at = 0; at < length; at++) grown[(*kept_length)++] = (uint8_t)byte(jpeg);
  return TRUE;
}

static bool prepare(jpeg_decoder *self) {
  imgfetch_decoder *base = &self->base;
  if (!base->input.bytes && !(self->piece = malloc(PIECE))) {
    return imgfetch_fail(&base->trouble, IMGFETCH_TOO_LARGE, "there is no memory to read it with");
  }
  self->jpeg.client_data = self;
  self->jpeg.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = give_up;
  self->errors.emit_message = hear;
  self->errors.output_message = keep_quiet;
  jpeg_create_decompress(&self->jpeg);
  self->is_created = true;
  self->jpeg.client_data = self;
  self->jpeg.mem->max_memory_to_use = (long)base->options.memory;
  self->progress.progress_monitor = watch;
  self->jpeg.progress = &self->progress;
  self->source.init_source = begin_source;
  self->source.fill_input_buffer = fill;
  self->source.skip_input_data = skip;
  self->source.resync_to_restart = jpeg_resync_to_restart;
  self->source.term_source = end_source;
  if (base->input.bytes) {
    self->source.next_input_byte = base->input.bytes;
    self->source.bytes_in_buffer = (size_t)base->input.length;
    self->offset = base->input.length;
  }
  self->jpeg.src = &self->source;
  jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 1, take_segment);
  jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 2, take_segment);
  jpeg_read_header(&self->jpeg, TRUE);
  return true;
}

static void drop_broken_profile(jpeg_decoder *self) {
  if (self->profile_pieces == self->profile_pieces_announced) return;
  free(self->base.profile);
  self->base.profile = NULL;
  self->base.profile_length = 0;
}

static bool choose_colours(jpeg_decoder *self) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  imgfetch_layout *layout = &self->base.layout;
  switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
      jpeg->out_color_space = JCS_GRAYSCALE;
      layout->model = IMGFETCH_GREY;
      break;
    case JCS_RGB:
    case JCS_YCbCr:
      jpeg->out_color_space = JCS_RGB;
      layout->model = IMGFETCH_RGB;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      jpeg->out_color_space = JCS_CMYK;
      layout->model = IMGFETCH_CMYK;
      break;
    default: return imgfetch_fail(&self->base.trouble, IMGFETCH_UNSUPPORTED, "it has two channels of unknown colours");
  }
  return true;
}

static bool open_jpeg(imgfetch_decoder *decoder) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  if (setjmp(self->escape)) return false;
  if (!prepare(self) || !choose_colours(self)) return false;
  drop_broken_profile(self);
  self->jpeg.scale_num = decoder->options.eighths;
  self->jpeg.scale_denom = 8;
  jpeg_calc_output_dimensions(&self->jpeg);
  decoder->layout.width = self->jpeg.output_width;
  decoder->layout.height = self->jpeg.output_height;
  decoder->layout.bits = 8;
  return true;
}

/// The coefficients of a picture that comes in scans: the library keeps all of them.
static uint64_t coefficients(const jpeg_decoder *self) {
  uint64_t bytes = 0;
  for (int at = 0; at < self->jpeg.num_components; at++) {
    const jpeg_component_info *component = &self->jpeg.comp_info[at];
    bytes += imgfetch_area(component->width_in_blocks, component->height_in_blocks, sizeof(JBLOCK));
  }
  return bytes;
}

#if HAS_PARTS
static boolean decode_unit(j_decompress_ptr jpeg, JBLOCKROW *blocks) {
  jpeg_decoder *self = of((j_common_ptr)jpeg);
  if (!self->decode_unit(jpeg, blocks)) return FALSE;
  imgfetch_small_jpeg_add(self->eighth, blocks);
  return TRUE;
}
#endif

/// Begins the picture at an eighth of its size beside the wanted one. Reading the entropy-coded data again for it would
/// be half of the cost of fingerprints. The library has no function for it, so its entropy decoder is wrapped, which is
/// linked in with the header that describes it.
static void begin_eighth(jpeg_decoder *self) {
#if HAS_PARTS
  const imgfetch_decode_options *options = &self->base.options;
  // Alone, neither a long file nor one without its end is decoded by CSmallJPEG: the picture would be another one.
  if (!options->keeps_eighth || !options->small_jpeg || !self->base.input.bytes || options->lacks_end) return;
  if (!(self->eighth = imgfetch_small_jpeg_beside(&self->jpeg))) return;
  self->decode_unit = self->jpeg.entropy->decode_mcu;
  self->jpeg.entropy->decode_mcu = decode_unit;
  self->base.held += imgfetch_area(self->jpeg.image_width / 8 + 1, self->jpeg.image_height / 8 + 1, 3);
#endif
}

static int next_jpeg(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  if (self->is_begun) return 0;
  if (setjmp(self->escape)) return -1;
  self->is_begun = true;
  if (decoder->input.bytes && decoder->options.small_jpeg) {
    self->small = imgfetch_small_jpeg_open(&self->jpeg, self->source.next_input_byte, self->source.bytes_in_buffer);
  }
  if (self->small) return 1;
  leave_out_needless(self);
  jpeg_start_decompress(&self->jpeg);
  if (jpeg_has_multiple_scans(&self->jpeg)) {
    decoder->held = coefficients(self);
  } else {
    begin_eighth(self);
  }
  return 1;
}

/// Reads a row from the library.
///
/// The library writes aligned rows past the caches, and the next to read them waits for memory: thumbnails would take
/// 1.1 times as long. So it gets an address that is not aligned.
static void read_row(jpeg_decoder *self, uint8_t *row) {
  JSAMPROW rows[1] = {row};
  if ((uintptr_t)row % (2 * OFF_ALIGNMENT) == 0) {
    size_t length = (size_t)self->jpeg.output_width * (size_t)self->jpeg.output_components;
    if (!self->row && !(self->row = aligned_alloc(VECTOR, (OFF_ALIGNMENT + length + VECTOR - 1) / VECTOR * VECTOR))) {
      ERREXIT1(&self->jpeg, JERR_OUT_OF_MEMORY, 0);
    }
    rows[0] = self->row + OFF_ALIGNMENT;
    jpeg_read_scanlines(&self->jpeg, rows, 1);
    memcpy(row, rows[0], length);
  } else {
    jpeg_read_scanlines(&self->jpeg, rows, 1);
  }
}

/// Has the library decode an unusual file from the start: it finds the error, or goes on. So far it has read no more
/// than the header. `row` is overwritten.
static void fall_back(jpeg_decoder *self, uint8_t *row) {
  imgfetch_small_jpeg_close(self->small);
  self->small = NULL;
  jpeg_start_decompress(&self->jpeg);
  for (uint32_t at = 0; at < self->small_rows; at++) read_row(self, row);
}

static bool read_jpeg(imgfetch_decoder *decoder, uint8_t *row) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  if (setjmp(self->escape)) return false;
  if (self->small) {
    if (imgfetch_small_jpeg_read(self->small, row)) {
      self->small_rows++;
      return true;
    }
    fall_back(self, row);
  }
  read_row(self, row);
  // Adobe's programs store ink upside down, and browsers take that for granted, whether or not Adobe's mark is there.
  if (decoder->layout.model == IMGFETCH_CMYK) {
    for (size_t at = 0; at < (size_t)decoder->layout.width * 4; at++) row[at] = 255 - row[at];
  }
  return true;
}

static bool finish_jpeg(imgfetch_decoder *decoder) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  // The file's end was seen with the last row.
  if (self->small) return self->small_rows == decoder->layout.height;
  if (setjmp(self->escape)) return false;
  jpeg_finish_decompress(&self->jpeg);
  return true;
}

/// Decodes everything but the upsampling and conversion of colours, which read no data and cannot fail.
static bool decode_whole_jpeg(imgfetch_decoder *decoder) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  if (setjmp(self->escape)) return false;
  if (!prepare(self)) return false;
  self->jpeg.out_color_space = self->jpeg.jpeg_color_space;
  self->jpeg.do_fancy_upsampling = FALSE;
  self->jpeg.dct_method = JDCT_IFAST;
  self->jpeg.scale_num = 1;
  self->jpeg.scale_denom = 8;
  jpeg_start_decompress(&self->jpeg);
  JSAMPARRAY row = self->jpeg.mem->alloc_sarray(
      (j_common_ptr)&self->jpeg, JPOOL_IMAGE, self->jpeg.output_width * (JDIMENSION)self->jpeg.output_components, 1);
  while (self->jpeg.output_scanline < self->jpeg.output_height) jpeg_read_scanlines(&self->jpeg, row, 1);
  jpeg_finish_decompress(&self->jpeg);
  return true;
}

static imgfetch_small_jpeg *eighth_jpeg(const imgfetch_decoder *decoder) { return ((const jpeg_decoder *)decoder)->eighth; }

static void close_jpeg(imgfetch_decoder *decoder) {
  jpeg_decoder *self = (jpeg_decoder *)decoder;
  imgfetch_small_jpeg_close(self->eighth);
  imgfetch_small_jpeg_close(self->small);
  if (self->is_created) jpeg_destroy_decompress(&self->jpeg);
  free(self->piece);
  free(self->row);
}

static void version_jpeg(char *text, size_t size) { snprintf(text, size, "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION)); }

const imgfetch_decoder_kind imgfetch_jpeg_decoding = {
    .size = sizeof(jpeg_decoder),
    .open = open_jpeg,
    .next = next_jpeg,
    .read = read_jpeg,
    .finish = finish_jpeg,
    .decode_all = decode_whole_jpeg,
    .close = close_jpeg,
    .eighth = eighth_jpeg,
    .version = version_jpeg,
};
