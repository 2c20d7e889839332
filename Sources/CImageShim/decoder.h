// Shared by the decoders: their table of functions, the reading of input, and the texts of errors.
#ifndef IMGFETCH_DECODER_H
#define IMGFETCH_DECODER_H

#include "codecs.h"
#include "trouble.h"

typedef struct imgfetch_small_jpeg imgfetch_small_jpeg;

#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

/// A small picture that is decoded for nothing but to see that a library works.
typedef struct {
  const uint8_t *bytes;
  size_t length;
  uint32_t width, height;
} imgfetch_sample;

/// The functions of a format. A decoder's memory is one block of `size` bytes that begins with an `imgfetch_decoder`.
typedef struct {
  size_t size;
  bool (*open)(imgfetch_decoder *decoder);
  int (*next)(imgfetch_decoder *decoder, uint32_t *milliseconds);
  bool (*read)(imgfetch_decoder *decoder, uint8_t *row);
  bool (*finish)(imgfetch_decoder *decoder);
  bool (*decode_all)(imgfetch_decoder *decoder);
  void (*close)(imgfetch_decoder *decoder);
  /// Makes the picture at an eighth of its size beside another. Null if the format cannot.
  imgfetch_small_jpeg *(*eighth)(const imgfetch_decoder *decoder);
  /// Writes the name and version of the library; null where there is none.
  void (*version)(char *text, size_t size);
  /// The sample of a library that is loaded late, and the preparation before it is loaded in a helper.
  const imgfetch_sample *sample;
  void (*prepare)(void);
} imgfetch_decoder_kind;

struct imgfetch_decoder {
  const imgfetch_decoder_kind *kind;
  imgfetch_input input;
  imgfetch_decode_options options;
  imgfetch_layout layout;
  imgfetch_trouble trouble;
  /// Bytes that it holds for pixels, beside a few rows.
  uint64_t held;
  uint8_t *exif;
  size_t exif_length;
  uint8_t *profile;
  size_t profile_length;
};

#define DECLARE_DECODING(NAME, name) extern const imgfetch_decoder_kind imgfetch_##name##_decoding;
IMGFETCH_FORMATS(DECLARE_DECODING)
#undef DECLARE_DECODING

/// Reads up to `count` bytes at `offset`; fewer come only at the end. -1 if the file cannot be read, which is noted.
int64_t imgfetch_input_read(
    const imgfetch_input *input, uint64_t offset, void *to, size_t count, imgfetch_trouble *trouble);

/// True if the layout has the size that the inspection found: later steps have been planned for that.
bool imgfetch_has_told_size(imgfetch_decoder *decoder);

/// Opens the decoder and reads every row of every picture: how a format is decoded that has no shorter way.
bool imgfetch_decode_rows(imgfetch_decoder *decoder);

/// `width` x `height` x `each`, or UINT64_MAX where that is more.
uint64_t imgfetch_area(uint64_t width, uint64_t height, uint64_t each);

/// Keeps a copy of an EXIF block, without the six bytes by which JPEG introduces it.
void imgfetch_keep_exif(imgfetch_decoder *decoder, const uint8_t *bytes, size_t length);

/// Keeps a copy of a colour profile.
void imgfetch_keep_profile(imgfetch_decoder *decoder, const uint8_t *bytes, size_t length);

/// Samples of a pixel.
unsigned imgfetch_samples(uint8_t model);

#endif
