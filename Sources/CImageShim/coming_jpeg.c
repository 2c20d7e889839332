// JPEG while it comes: a sequential one row by row, one in scans by what its coefficients are so far
// (libjpeg's buffered-image mode).
#include "libraries.h"
#include "CImageShim.h"
#include "coming_kind.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

enum { HEAD, BEGINNING, ROWS, SCANS, WHOLE };

typedef struct {
  imgfetch_coming base;
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf escape;
  bool is_created;
  int phase;
  /// The byte that the library reads next, and how many it is still to pass over.
  size_t place, passed_over;
  /// One row as the library makes it.
  uint8_t *row;
  /// True while a pass over the coefficients is incomplete: the first scan's, which waits for its rows.
  bool is_looking;
} coming_jpeg;

static coming_jpeg *of(j_common_ptr common) { return common->client_data; }

static void give_up(j_common_ptr common) {
  char reason[JMSG_LENGTH_MAX];
  common->err->format_message(common, reason);
  imgfetch_fail(&of(common)->base.trouble, IMGFETCH_DAMAGED, reason);
  longjmp(of(common)->escape, 1);
}

/// Ends the display at broken data. The complete image is judged later.
static void hear(j_common_ptr common, int level) {
  if (level >= 0) return;
  switch (common->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR:
    case JWRN_EXTRANEOUS_DATA: return;
    default: give_up(common);
  }
}

static void keep_quiet(j_common_ptr common) {}
static void begin_source(j_decompress_ptr jpeg) {}
static void end_source(j_decompress_ptr jpeg) {}

/// The library is to wait.
static boolean fill(j_decompress_ptr jpeg) { return FALSE; }

static void skip(j_decompress_ptr jpeg, long count) {
  coming_jpeg *self = of((j_common_ptr)jpeg);
  if (count <= 0) return;
  size_t step = (size_t)count < self->source.bytes_in_buffer ? (size_t)count : self->source.bytes_in_buffer;
  self->source.next_input_byte += step;
  self->source.bytes_in_buffer -= step;
  self->passed_over += (size_t)count - step;
}

static bool create(coming_jpeg *self) {
  self->jpeg.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = give_up;
  self->errors.emit_message = hear;
  self->errors.output_message = keep_quiet;
  self->jpeg.client_data = self;
  jpeg_create_decompress(&self->jpeg);
  self->is_created = true;
  self->jpeg.client_data = self;
  self->jpeg.mem->max_memory_to_use = (long)self->base.options.memory;
  self->source.init_source = begin_source;
  self->source.fill_input_buffer = fill;
  self->source.skip_input_data = skip;
  self->source.resync_to_restart = jpeg_resync_to_restart;
  self->source.term_source = end_source;
  self->jpeg.src = &self->source;
  jpeg_save_markers(&self->jpeg, JPEG_APP0 + 2, 0xFFFF);
  return true;
}

/// Shows the library the received bytes, which may have moved.
static void open_bytes(coming_jpeg *self) {
  size_t left = self->base.length - self->place;
  size_t step = self->passed_over < left ? self->passed_over : left;
  self->place += step;
  self->passed_over -= step;
  self->source.next_input_byte = self->base.bytes + self->place;
  self->source.bytes_in_buffer = self->base.length - self->place;
}

static void note_place(coming_jpeg *self) { self->place = self->base.length - self->source.bytes_in_buffer; }

static void keep_profile(coming_jpeg *self) {
  JOCTET *profile = NULL;
  unsigned length = 0;
  if (self->jpeg.out_color_space != JCS_RGB || !jpeg_read_icc_profile(&self->jpeg, &profile, &length)) return;
  if (length > self->base.options.metadata) {
    free(profile);
    return;
  }
  self->base.profile = profile;
  self->base.profile_length = length;
}

static bool read_head(coming_jpeg *self) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  if (jpeg_read_header(jpeg, TRUE) == JPEG_SUSPENDED) return true;
  switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr: jpeg->out_color_space = jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: jpeg->out_color_space = JCS_CMYK; break;
    default: return imgfetch_fail(&self->base.trouble, IMGFETCH_UNSUPPORTED, "it has two channels of unknown colours");
  }
  keep_profile(self);
  jpeg->scale_num = self->base.options.eighths;
  jpeg->scale_denom = 8;
  jpeg->buffered_image = jpeg_has_multiple_scans(jpeg);
  self->phase = BEGINNING;
  return true;
}

static bool begin(coming_jpeg *self) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  if (!jpeg_start_decompress(jpeg)) return true;
  self->phase = jpeg->buffered_image ? SCANS : ROWS;
  self->row = malloc((size_t)jpeg->output_width * 4);
  if (!self->row) return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  return imgfetch_coming_make(&self->base, jpeg->output_width, jpeg->output_height);
}

/// Reads rows of the current pass, as far as the library has their data.
static void read_rows(coming_jpeg *self) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  static const uint8_t white[3] = {255, 255, 255};
  uint8_t model = jpeg->out_color_space == JCS_GRAYSCALE ? IMGFETCH_GREY
      : jpeg->out_color_space == JCS_CMYK                ? IMGFETCH_CMYK
                                                         : IMGFETCH_RGB;
  JSAMPROW rows[1] = {self->row};
  while (jpeg->output_scanline < jpeg->output_height) {
    uint32_t at = jpeg->output_scanline;
    if (jpeg_read_scanlines(jpeg, rows, 1) == 0) return;
    if (model == IMGFETCH_CMYK) {
      for (size_t byte = 0; byte < (size_t)jpeg->output_width * 4; byte++) self->row[byte] = 255 - self->row[byte];
    }
    imgfetch_convert_row(self->row, model, imgfetch_coming_row(&self->base, at), IMGFETCH_RGBA, 8, jpeg->output_width, white);
  }
}

static bool read_scans(coming_jpeg *self) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  int got;
  do {
    got = jpeg_consume_input(jpeg);
    if ((uint32_t)jpeg->input_scan_number > self->base.options.scans) {
      return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it has more scans than are worth its pixels");
    }
  } while (got != JPEG_SUSPENDED && got != JPEG_REACHED_EOI);
  uint32_t whole = jpeg->total_iMCU_rows ? jpeg->total_iMCU_rows : 1;
  self->base.state.rows = (uint32_t)((uint64_t)jpeg->input_iMCU_row * self->base.state.height / whole);
  self->base.state.pass = jpeg->input_scan_number > 1 || self->base.state.rows > 0 ? (uint32_t)jpeg->input_scan_number : 0;
  if (got == JPEG_REACHED_EOI) self->phase = WHOLE;
  return true;
}

static bool take(imgfetch_coming *coming) {
  coming_jpeg *self = (coming_jpeg *)coming;
  if (setjmp(self->escape)) return false;
  if (!self->is_created && !create(self)) return false;
  open_bytes(self);
  bool is_fine = true;
  if (self->phase == HEAD) is_fine = read_head(self);
  if (is_fine && self->phase == BEGINNING) is_fine = begin(self);
  if (is_fine && self->phase == ROWS) {
    read_rows(self);
    coming->state.rows = self->jpeg.output_scanline;
    coming->state.pass = coming->state.rows > 0;
  }
  if (is_fine && self->phase == SCANS) is_fine = read_scans(self);
  note_place(self);
  return is_fine;
}

/// Makes the picture of the coefficients that are there. A pass over the first scan has to wait for its rows; later
/// ones show the earlier scans where the current one has not come yet.
static bool look(imgfetch_coming *coming) {
  coming_jpeg *self = (coming_jpeg *)coming;
  if (self->phase != SCANS && self->phase != WHOLE) return true;
  if (setjmp(self->escape)) return false;
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  open_bytes(self);
  bool is_shown = false;
  if (self->is_looking) {
    read_rows(self);
    is_shown = jpeg->output_scanline < jpeg->output_height;
    if (!is_shown) self->is_looking = !jpeg_finish_output(jpeg);
    is_shown = is_shown || self->is_looking;
  }
  if (!is_shown) {
    int scan = jpeg->input_scan_number > 1 ? jpeg->input_scan_number - 1 : 1;
    if (jpeg_start_output(jpeg, scan)) {
      self->is_looking = true;
      read_rows(self);
      if (jpeg->output_scanline == jpeg->output_height) self->is_looking = !jpeg_finish_output(jpeg);
    }
  }
  note_place(self);
  return true;
}

static void close_jpeg(imgfetch_coming *coming) {
  coming_jpeg *self = (coming_jpeg *)coming;
  if (self->is_created) jpeg_destroy_decompress(&self->jpeg);
  free(self->row);
}

const imgfetch_coming_kind imgfetch_coming_jpeg = {
    .size = sizeof(coming_jpeg), .take = take, .look = look, .close = close_jpeg};
