#define _GNU_SOURCE

#include "libraries.h"

#include "CSmallJPEG.h"
#include "decoder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zimg.h>

static void append(char *text, size_t size, const char *more) { strncat(text, more, size - strlen(text) - 1); }

void imgfetch_codec_versions(char *text, size_t size) {
  char version[64];
  text[0] = 0;
#define APPEND_VERSION(NAME, name)                               \
  if (imgfetch_##name##_decoding.version) {                      \
    imgfetch_##name##_decoding.version(version, sizeof version); \
    append(text, size, version);                                 \
    append(text, size, ", ");                                    \
  }
  IMGFETCH_FORMATS(APPEND_VERSION)
#undef APPEND_VERSION
  unsigned zimg[3];
  zimg_get_version_info(&zimg[0], &zimg[1], &zimg[2]);
  snprintf(version, sizeof version, "zimg %u.%u.%u", zimg[0], zimg[1], zimg[2]);
  append(text, size, version);
}

int64_t imgfetch_input_read(
    const imgfetch_input *input, uint64_t offset, void *to, size_t count, imgfetch_trouble *trouble) {
  if (offset >= input->length) return 0;
  if (count > input->length - offset) count = (size_t)(input->length - offset);
  if (input->bytes) {
    memcpy(to, input->bytes + input->start + offset, count);
    return (int64_t)count;
  }
  size_t done = 0;
  while (done < count) {
    ssize_t got = pread(input->descriptor, (uint8_t *)to + done, count - done, (off_t)(input->start + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      trouble->number = errno;
      imgfetch_fail(trouble, IMGFETCH_UNREADABLE, "the file could not be read");
      return -1;
    }
    if (got == 0) break;
    done += (size_t)got;
  }
  return (int64_t)done;
}

uint64_t imgfetch_area(uint64_t width, uint64_t height, uint64_t each) {
  uint64_t area;
  if (__builtin_mul_overflow(width, height, &area) || __builtin_mul_overflow(area, each, &area)) return UINT64_MAX;
  return area;
}

unsigned imgfetch_samples(uint8_t model) { return model == IMGFETCH_CMYK ? 4 : model; }

static void keep(uint8_t **kept, size_t *kept_length, const uint8_t *bytes, size_t length, size_t most) {
  if (*kept || length == 0 || length > most) return;
  *kept = malloc(length);
  if (!*kept) return;
  memcpy(*kept, bytes, length);
  *kept_length = length;
}

void imgfetch_keep_exif(imgfetch_decoder *decoder, const uint8_t *bytes, size_t length) {
  if (length > 6 && memcmp(bytes, "Exif\0\0", 6) == 0) {
    bytes += 6;
    length -= 6;
  }
  keep(&decoder->exif, &decoder->exif_length, bytes, length, decoder->options.metadata);
}

void imgfetch_keep_profile(imgfetch_decoder *decoder, const uint8_t *bytes, size_t length) {
  keep(&decoder->profile, &decoder->profile_length, bytes, length, decoder->options.metadata);
}

static const imgfetch_decoder_kind *kind_of(int format) {
  switch (format) {
#define CASE(NAME, name) \
  case IMGFETCH_##NAME: return &imgfetch_##name##_decoding;
    IMGFETCH_FORMATS(CASE)
#undef CASE
    default: return NULL;
  }
}

static imgfetch_decoder *make(
    int format, imgfetch_input input, const imgfetch_decode_options *options, imgfetch_trouble *trouble) {
  const imgfetch_decoder_kind *kind = kind_of(format);
  imgfetch_decoder *decoder = kind ? calloc(1, kind->size) : NULL;
  if (!decoder) {
    imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
    return NULL;
  }
  decoder->kind = kind;
  decoder->input = input;
  decoder->options = *options;
  return decoder;
}

imgfetch_decoder *imgfetch_decoder_open(
    int format, imgfetch_input input, const imgfetch_decode_options *options, imgfetch_trouble *trouble) {
  imgfetch_decoder *decoder = make(format, input, options, trouble);
  if (!decoder || decoder->kind->open(decoder)) return decoder;
  *trouble = decoder->trouble;
  imgfetch_decoder_close(decoder);
  return NULL;
}

imgfetch_layout imgfetch_decoder_layout(const imgfetch_decoder *decoder) { return decoder->layout; }

const uint8_t *imgfetch_decoder_exif(const imgfetch_decoder *decoder, size_t *length) {
  *length = decoder->exif_length;
  return decoder->exif;
}

const uint8_t *imgfetch_decoder_profile(const imgfetch_decoder *decoder, size_t *length) {
  *length = decoder->profile_length;
  return decoder->profile;
}

uint64_t imgfetch_decoder_held(const imgfetch_decoder *decoder) { return decoder->held; }

int imgfetch_decoder_next(imgfetch_decoder *decoder, uint32_t *milliseconds, imgfetch_trouble *trouble) {
  *milliseconds = 0;
  int answer = decoder->kind->next(decoder, milliseconds);
  if (answer < 0) *trouble = decoder->trouble;
  return answer;
}

bool imgfetch_decoder_read(imgfetch_decoder *decoder, uint8_t *row, imgfetch_trouble *trouble) {
  bool is_fine = decoder->kind->read(decoder, row);
  if (!is_fine) *trouble = decoder->trouble;
  return is_fine;
}

bool imgfetch_decoder_finish(imgfetch_decoder *decoder, imgfetch_trouble *trouble) {
  bool is_fine = decoder->kind->finish(decoder);
  if (!is_fine) *trouble = decoder->trouble;
  return is_fine;
}

bool imgfetch_decoder_eighth(const imgfetch_decoder *decoder, imgfetch_layout *layout) {
  const imgfetch_small_jpeg *eighth = decoder->kind->eighth ? decoder->kind->eighth(decoder) : NULL;
  if (!eighth || imgfetch_small_jpeg_width(eighth) == 0) return false;
  *layout = decoder->layout;
  layout->width = imgfetch_small_jpeg_width(eighth);
  layout->height = imgfetch_small_jpeg_height(eighth);
  return true;
}

void imgfetch_decoder_eighth_row(const imgfetch_decoder *decoder, uint32_t number, uint8_t *row) {
  imgfetch_small_jpeg_row(decoder->kind->eighth(decoder), number, row);
}

void imgfetch_decoder_close(imgfetch_decoder *decoder) {
  if (!decoder) return;
  decoder->kind->close(decoder);
  free(decoder->exif);
  free(decoder->profile);
  free(decoder);
}

bool imgfetch_decode_all(
    int format, imgfetch_input input, const imgfetch_decode_options *options, imgfetch_trouble *trouble) {
  imgfetch_decoder *decoder = make(format, input, options, trouble);
  if (!decoder) return false;
  bool is_fine = decoder->kind->decode_all(decoder);
  if (!is_fine) *trouble = decoder->trouble;
  imgfetch_decoder_close(decoder);
  return is_fine;
}

bool imgfetch_has_told_size(imgfetch_decoder *decoder) {
  return (decoder->layout.width == decoder->options.width && decoder->layout.height == decoder->options.height) ||
      imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "its picture is not of the size that it tells");
}

bool imgfetch_decode_rows(imgfetch_decoder *decoder) {
  if (!decoder->kind->open(decoder)) return false;
  uint64_t length = imgfetch_area(decoder->layout.width, imgfetch_samples(decoder->layout.model), decoder->layout.bits / 8);
  uint8_t *row = malloc(length);
  if (!row) return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  uint32_t milliseconds;
  int answer;
  bool is_fine = true;
  while (is_fine && (answer = decoder->kind->next(decoder, &milliseconds)) > 0) {
    for (uint32_t at = 0; at < decoder->layout.height && is_fine; at++) is_fine = decoder->kind->read(decoder, row);
  }
  free(row);
  return is_fine && answer == 0 && decoder->kind->finish(decoder);
}

bool imgfetch_decoder_prepare(int format, imgfetch_trouble *trouble) {
  const imgfetch_decoder_kind *kind = kind_of(format);
  if (!kind || !kind->sample) return true;
  if (kind->prepare) kind->prepare();
  imgfetch_input input = {.bytes = kind->sample->bytes, .descriptor = -1, .length = kind->sample->length};
  imgfetch_decode_options options = {
      .frames = 1, .eighths = 8, .memory = 16 << 20, .scans = 16, .metadata = 1 << 20,
      .width = kind->sample->width, .height = kind->sample->height};
  return imgfetch_decode_all(format, input, &options, trouble);
}
