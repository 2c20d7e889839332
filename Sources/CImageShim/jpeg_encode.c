// JPEG through libjpeg-turbo.
#include "libraries.h"

#include "encoder.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

/// The quality from which colours are kept at full size: halving them would cost more than the coarser steps do.
enum { FULL_COLOUR_QUALITY = 90 };

/// A progressive file is a few percent smaller, but all its coefficients are held until it ends: 3 to 6 bytes a pixel.
/// Above this many pixels that is more than it gains.
static const uint64_t most_progressive = 32u << 20;

/// The scans of a progressive file: a coarse picture, the greater part of its brightness, colours, the rest.
/// They take half the time of the library's own ten scans, which send the bits of each value in turn, and make
/// smaller files (Speed.md).
static const jpeg_scan_info scans[] = {
    {.comps_in_scan = 3, .component_index = {0, 1, 2}, .Ss = 0, .Se = 0},
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 1, .Se = 8},
    {.comps_in_scan = 1, .component_index = {1}, .Ss = 1, .Se = 63},
    {.comps_in_scan = 1, .component_index = {2}, .Ss = 1, .Se = 63},
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 9, .Se = 63},
};
static const jpeg_scan_info grey_scans[] = {
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 0, .Se = 0},
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 1, .Se = 8},
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 9, .Se = 63},
};

typedef struct {
  imgfetch_encoder base;
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf escape;
  bool is_created;
} jpeg_encoder;

static void give_up(j_common_ptr common) {
  jpeg_encoder *self = common->client_data;
  char reason[JMSG_LENGTH_MAX];
  common->err->format_message(common, reason);
  bool is_too_large = common->err->msg_code == JERR_OUT_OF_MEMORY || common->err->msg_code == JERR_IMAGE_TOO_BIG;
  imgfetch_fail(&self->base.trouble, is_too_large ? IMGFETCH_TOO_LARGE : IMGFETCH_UNSUPPORTED, reason);
  longjmp(self->escape, 1);
}

static void keep_quiet(j_common_ptr common) {}

/// The library writes straight into the encoder's bytes: what there is room for, and then more.
static void open_room(j_compress_ptr jpeg) {
  jpeg_encoder *self = jpeg->client_data;
  if (!imgfetch_encoder_grow(&self->base, 16 << 10)) longjmp(self->escape, 1);
  self->destination.next_output_byte = self->base.bytes + self->base.length;
  self->destination.free_in_buffer = self->base.capacity - self->base.length;
}

static boolean make_room(j_compress_ptr jpeg) {
  jpeg_encoder *self = jpeg->client_data;
  self->base.length = self->base.capacity;
  open_room(jpeg);
  return TRUE;
}

static void close_room(j_compress_ptr jpeg) {
  jpeg_encoder *self = jpeg->client_data;
  self->base.length = self->base.capacity - self->destination.free_in_buffer;
}

static void write_metadata(jpeg_encoder *self) {
  static const uint8_t name[6] = "Exif\0";
  const imgfetch_encode_options *options = &self->base.options;
  // A segment holds no more, and EXIF in several has no reader.
  if (options->exif && options->exif_length <= 65533 - sizeof name) {
    jpeg_write_m_header(&self->jpeg, JPEG_APP0 + 1, (unsigned)(options->exif_length + sizeof name));
    for (size_t at = 0; at < sizeof name; at++) jpeg_write_m_byte(&self->jpeg, name[at]);
    for (size_t at = 0; at < options->exif_length; at++) jpeg_write_m_byte(&self->jpeg, options->exif[at]);
  }
  if (options->profile) jpeg_write_icc_profile(&self->jpeg, options->profile, (unsigned)options->profile_length);
}

static bool open_jpeg(imgfetch_encoder *encoder) {
  jpeg_encoder *self = (jpeg_encoder *)encoder;
  struct jpeg_compress_struct *jpeg = &self->jpeg;
  if (setjmp(self->escape)) return false;
  jpeg->client_data = self;
  jpeg->err = jpeg_std_error(&self->errors);
  self->errors.error_exit = give_up;
  self->errors.output_message = keep_quiet;
  jpeg_create_compress(jpeg);
  self->is_created = true;
  self->destination.init_destination = open_room;
  self->destination.empty_output_buffer = make_room;
  self->destination.term_destination = close_room;
  jpeg->dest = &self->destination;
  jpeg->image_width = encoder->layout.width;
  jpeg->image_height = encoder->layout.height;
  bool is_grey = encoder->layout.model == IMGFETCH_GREY;
  jpeg->input_components = is_grey ? 1 : 3;
  jpeg->in_color_space = is_grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(jpeg);
  jpeg_set_quality(jpeg, encoder->options.quality, TRUE);
  if (encoder->options.quality >= FULL_COLOUR_QUALITY) {
    jpeg->comp_info[0].h_samp_factor = 1;
    jpeg->comp_info[0].v_samp_factor = 1;
  }
  jpeg->optimize_coding = TRUE;
  if ((uint64_t)jpeg->image_width * jpeg->image_height <= most_progressive) {
    jpeg->scan_info = is_grey ? grey_scans : scans;
    jpeg->num_scans = is_grey ? sizeof grey_scans / sizeof *grey_scans : sizeof scans / sizeof *scans;
  }
  jpeg_start_compress(jpeg, TRUE);
  write_metadata(self);
  return true;
}

static bool begin_jpeg(imgfetch_encoder *encoder, uint32_t milliseconds) { return true; }

static bool write_jpeg(imgfetch_encoder *encoder, const uint8_t *row) {
  jpeg_encoder *self = (jpeg_encoder *)encoder;
  if (setjmp(self->escape)) return false;
  JSAMPROW rows[1] = {(JSAMPROW)row};
  jpeg_write_scanlines(&self->jpeg, rows, 1);
  return true;
}

static bool finish_jpeg(imgfetch_encoder *encoder) {
  jpeg_encoder *self = (jpeg_encoder *)encoder;
  if (setjmp(self->escape)) return false;
  jpeg_finish_compress(&self->jpeg);
  return true;
}

static void close_jpeg(imgfetch_encoder *encoder) {
  jpeg_encoder *self = (jpeg_encoder *)encoder;
  if (self->is_created) jpeg_destroy_compress(&self->jpeg);
}

const imgfetch_encoder_kind imgfetch_jpeg_encoding = {
    .size = sizeof(jpeg_encoder),
    .open = open_jpeg,
    .begin = begin_jpeg,
    .write = write_jpeg,
    .finish = finish_jpeg,
    .close = close_jpeg,
};
