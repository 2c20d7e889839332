// The image libraries behind one face: a decoder that is asked for rows, and an encoder that is given rows.
//
// libjpeg and libpng report errors by jumping. Every jump begins and ends inside one function of this folder, none of
// which calls back into Swift, so that no Swift frame is ever jumped over.
#ifndef IMGFETCH_CODECS_H
#define IMGFETCH_CODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The source of an encoded image: memory that the caller keeps as long as the decoder, or an open file.
typedef struct {
  const uint8_t *_Nullable bytes;
  /// Read from its first byte on with pread, so that its position is left alone. Used where `bytes` is null.
  int descriptor;
  /// The offset of the image in it: not 0 if another image holds it.
  uint64_t start;
  uint64_t length;
} imgfetch_input;

/// The reason why a codec gave up.
enum {
  IMGFETCH_FINE = 0,
  /// The image is broken. A truncated one counts, too: missing and wrong data look alike to a decoder.
  IMGFETCH_DAMAGED,
  /// The image needs more memory or work than the limits allow.
  IMGFETCH_TOO_LARGE,
  /// The image is whole for all we know, but of a kind that the library does not support.
  IMGFETCH_UNSUPPORTED,
  /// The file could not be read; `number` is errno.
  IMGFETCH_UNREADABLE,
  /// A library is not installed; the reason is its name.
  IMGFETCH_NO_LIBRARY,
};

/// The error, in the library's words.
typedef struct {
  int kind;
  int number;
  char reason[160];
} imgfetch_trouble;

/// The formats that are written too, in the order in which the versions of their libraries are listed. Each has an
/// `imgfetch_…_decoding` and an `imgfetch_…_encoding`.
#define IMGFETCH_WRITTEN_FORMATS(each) each(JPEG, jpeg) each(PNG, png) each(WEBP, webp) each(GIF, gif) each(AVIF, avif)

/// All formats that are decoded. AVIF and those of the last line by libraries that are loaded when first needed.
#define IMGFETCH_FORMATS(each)                                       \
  IMGFETCH_WRITTEN_FORMATS(each) each(BMP, bmp) each(ICO, ico)       \
  each(HEIC, heic) each(JXL, jxl) each(TIFF, tiff) each(SVG, svg)

/// The number of each format: IMGFETCH_JPEG and so on.
#define IMGFETCH_NUMBER(NAME, name) IMGFETCH_##NAME,
enum { IMGFETCH_NO_FORMAT, IMGFETCH_FORMATS(IMGFETCH_NUMBER) };
#undef IMGFETCH_NUMBER

/// The samples of a pixel. They are interleaved, unpremultiplied, of 8 bits or of 16 in the machine's order.
enum {
  IMGFETCH_GREY = 1,
  IMGFETCH_GREY_ALPHA,
  IMGFETCH_RGB,
  IMGFETCH_RGBA,
  /// Ink: 0 is none of it.
  IMGFETCH_CMYK,
};

/// The layout of an image's rows.
typedef struct {
  uint32_t width;
  uint32_t height;
  /// One of the models above.
  uint8_t model;
  /// 8 or 16.
  uint8_t bits;
} imgfetch_layout;

typedef struct {
  /// The number of pictures that the inspection found, at least 2 for an APNG of one frame, and their size.
  uint32_t frames, width, height;
  /// Eighths of the full size that suffice; JPEG and WebP then decode less. The others pass it over.
  uint8_t eighths;
  /// Bytes that the decoder may hold at most, beside a few rows.
  uint64_t memory;
  /// Scans of a progressive JPEG at most.
  uint32_t scans;
  /// The most bytes of EXIF and of colour profile; longer ones are ignored.
  uint32_t metadata;
  /// True if CSmallJPEG may replace the library. For a process that has given its rights up.
  bool small_jpeg;
  /// True if the picture at an eighth of its size is wanted as well, for `imgfetch_decoder_eighth`.
  bool keeps_eighth;
  /// The inspection found the end mark bad or missing: the image then ends with its data.
  bool lacks_end;
  /// The inspection found wrong sums of pixels' data, which may be complete all the same.
  bool has_wrong_sums;
} imgfetch_decode_options;

typedef struct imgfetch_decoder imgfetch_decoder;

/// Reads the image's header. Null if it cannot be decoded; `trouble` says why.
imgfetch_decoder *_Nullable imgfetch_decoder_open(
    int format, imgfetch_input input, const imgfetch_decode_options *_Nonnull options,
    imgfetch_trouble *_Nonnull trouble);

/// Loads the library of a format, and decodes a small picture with it, so that what the library loads later
/// has been loaded: for a process that will not be able to. False where it is missing or fails, which does no
/// harm: so will the picture.
bool imgfetch_decoder_prepare(int format, imgfetch_trouble *_Nonnull trouble);

/// The rows' layout: of the still image, or of an animation's canvas on which all frames are composed.
imgfetch_layout imgfetch_decoder_layout(const imgfetch_decoder *_Nonnull decoder);

/// The EXIF block (from its byte order mark on) and the colour profile; null where there is none. Owned by the decoder.
const uint8_t *_Nullable imgfetch_decoder_exif(const imgfetch_decoder *_Nonnull decoder, size_t *_Nonnull length);
const uint8_t *_Nullable imgfetch_decoder_profile(const imgfetch_decoder *_Nonnull decoder, size_t *_Nonnull length);

/// Bytes that it holds for pixels beside a few rows, once it has begun its first picture: an animation's canvas, all
/// rows of a picture that comes in passes, all coefficients of one that comes in scans.
uint64_t imgfetch_decoder_held(const imgfetch_decoder *_Nonnull decoder);

/// Begins the next picture: 1, or 0 if there is none, or -1 if it failed. `milliseconds` is how long it is shown.
/// All rows of the one before must have been read.
int imgfetch_decoder_next(
    imgfetch_decoder *_Nonnull decoder, uint32_t *_Nonnull milliseconds, imgfetch_trouble *_Nonnull trouble);

/// The next row of the picture, from the top down; false if it failed.
bool imgfetch_decoder_read(
    imgfetch_decoder *_Nonnull decoder, uint8_t *_Nonnull row, imgfetch_trouble *_Nonnull trouble);

/// Checks the rest of the data after the last row of the last picture.
bool imgfetch_decoder_finish(imgfetch_decoder *_Nonnull decoder, imgfetch_trouble *_Nonnull trouble);

/// The layout, after the last row of the only picture, of the picture at an eighth of its size, as decoding that alone
/// would make it. Returns false if it did not come for nothing. The other function gives its rows, each by its number.
bool imgfetch_decoder_eighth(const imgfetch_decoder *_Nonnull decoder, imgfetch_layout *_Nonnull layout);
void imgfetch_decoder_eighth_row(const imgfetch_decoder *_Nonnull decoder, uint32_t number, uint8_t *_Nonnull row);

void imgfetch_decoder_close(imgfetch_decoder *_Nullable decoder);

/// Decodes every pixel of every picture and keeps none. Returns true if all are there. Needs a row of memory, or as
/// much as the coding requires (all coefficients of a progressive JPEG, the whole picture of a WebP).
bool imgfetch_decode_all(
    int format, imgfetch_input input, const imgfetch_decode_options *_Nonnull options,
    imgfetch_trouble *_Nonnull trouble);

typedef struct {
  /// 1 to 100.
  uint8_t quality;
  /// The speed of AVIF, from 0 for the smallest file to 10 for the shortest time.
  uint8_t speed;
  /// True if WebP keeps every pixel exactly, as PNG always does, and JPEG never.
  bool is_lossless;
  /// Pictures are those of an animation (GIF, WebP and AVIF), played so often; 0 for without
  /// end, negative for not said.
  bool is_animated;
  int32_t plays;
  /// The metadata to encode with the pixels, or null for none. Copied when the encoder is opened.
  const uint8_t *_Nullable exif;
  size_t exif_length;
  const uint8_t *_Nullable profile;
  size_t profile_length;
  /// XMP, which AVIF's encoder alone takes: into the others' files it is put afterwards.
  const uint8_t *_Nullable xmp;
  size_t xmp_length;
} imgfetch_encode_options;

typedef struct imgfetch_encoder imgfetch_encoder;

/// Begins an image. JPEG takes grey and RGB of 8 bits, PNG all but CMYK, WebP and AVIF RGB and RGBA, GIF RGBA. The same
/// rows give the same bytes.
imgfetch_encoder *_Nullable imgfetch_encoder_open(
    int format, imgfetch_layout layout, const imgfetch_encode_options *_Nonnull options,
    imgfetch_trouble *_Nonnull trouble);

/// Begins a picture; then as many rows must follow as the layout has. Once, but for an animation.
bool imgfetch_encoder_begin(
    imgfetch_encoder *_Nonnull encoder, uint32_t milliseconds, imgfetch_trouble *_Nonnull trouble);
bool imgfetch_encoder_write(
    imgfetch_encoder *_Nonnull encoder, const uint8_t *_Nonnull row, imgfetch_trouble *_Nonnull trouble);

/// Ends the image; its bytes are the encoder's.
const uint8_t *_Nullable imgfetch_encoder_finish(
    imgfetch_encoder *_Nonnull encoder, size_t *_Nonnull length, imgfetch_trouble *_Nonnull trouble);

void imgfetch_encoder_close(imgfetch_encoder *_Nullable encoder);

/// Names and versions of the libraries, for people; cut off at `size`.
void imgfetch_codec_versions(char *_Nonnull text, size_t size);

#endif
