#include "libraries.h"
#include "exif.h"

#include <dlfcn.h>
#include <libexif/exif-data.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trouble.h"

static struct {
  pthread_once_t once;
  bool is_there;
  __typeof__(&exif_data_new) make;
  __typeof__(&exif_data_unset_option) unset_option;
  __typeof__(&exif_data_load_data) load;
  __typeof__(&exif_data_unref) release;
  __typeof__(&exif_data_get_byte_order) byte_order;
  __typeof__(&exif_content_get_entry) entry;
  __typeof__(&exif_format_get_size) size;
  __typeof__(&exif_get_short) get_short;
  __typeof__(&exif_get_long) get_long;
  __typeof__(&exif_get_rational) get_rational;
  __typeof__(&exif_get_srational) get_srational;
} library = {.once = PTHREAD_ONCE_INIT};

static void load(void) {
  void *handle = dlopen("libexif.so.12", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
  library.make = dlsym(handle, "exif_data_new");
  library.unset_option = dlsym(handle, "exif_data_unset_option");
  library.load = dlsym(handle, "exif_data_load_data");
  library.release = dlsym(handle, "exif_data_unref");
  library.byte_order = dlsym(handle, "exif_data_get_byte_order");
  library.entry = dlsym(handle, "exif_content_get_entry");
  library.size = dlsym(handle, "exif_format_get_size");
  library.get_short = dlsym(handle, "exif_get_short");
  library.get_long = dlsym(handle, "exif_get_long");
  library.get_rational = dlsym(handle, "exif_get_rational");
  library.get_srational = dlsym(handle, "exif_get_srational");
  library.is_there = library.make && library.unset_option && library.load && library.release && library.byte_order &&
      library.entry && library.size && library.get_short && library.get_long && library.get_rational &&
      library.get_srational;
}

void imgfetch_exif_prepare(void) { pthread_once(&library.once, load); }

struct imgfetch_exif {
  ExifData *data;
};

imgfetch_exif *imgfetch_exif_open(const uint8_t *block, size_t length, imgfetch_trouble *trouble) {
  imgfetch_exif_prepare();
  if (!library.is_there) {
    imgfetch_fail(
        trouble, IMGFETCH_NO_LIBRARY, "libexif for its Exif (Debian: libexif12)");
    return NULL;
  }
  // The library knows a block by the six bytes that precede it in a JPEG.
  static const uint8_t name[6] = "Exif\0";
  imgfetch_exif *exif = malloc(sizeof *exif);
  uint8_t *named = length <= UINT32_MAX - sizeof name ? malloc(length + sizeof name) : NULL;
  if (exif) exif->data = named ? library.make() : NULL;
  if (!exif || !exif->data) {
    imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "there is no memory for its Exif");
    free(named);
    free(exif);
    return NULL;
  }
  memcpy(named, name, sizeof name);
  memcpy(named + sizeof name, block, length);
  // The block is read as it is, without corrections or additions.
  library.unset_option(exif->data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
  library.unset_option(exif->data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  library.load(exif->data, named, (unsigned)(length + sizeof name));
  free(named);
  return exif;
}

static ExifEntry *entry_of(const imgfetch_exif *exif, int directory, uint16_t tag) {
  ExifIfd place = directory == IMGFETCH_EXIF_IMAGE ? EXIF_IFD_0
      : directory == IMGFETCH_EXIF_CAMERA          ? EXIF_IFD_EXIF
                                                   : EXIF_IFD_GPS;
  ExifContent *content = exif->data->ifd[place];
  ExifEntry *entry = content ? library.entry(content, (ExifTag)tag) : NULL;
  return entry && entry->data ? entry : NULL;
}

bool imgfetch_exif_text(const imgfetch_exif *exif, int directory, uint16_t tag, char *text, size_t size) {
  ExifEntry *entry = entry_of(exif, directory, tag);
  if (!entry || entry->format != EXIF_FORMAT_ASCII || size == 0) return false;
  size_t length = strnlen((const char *)entry->data, entry->size);
  if (length > size - 1) length = size - 1;
  memcpy(text, entry->data, length);
  text[length] = 0;
  return true;
}

static bool quotient(double over, double under, double *number) {
  if (under == 0) return false;
  *number = over / under;
  return true;
}

bool imgfetch_exif_number(
    const imgfetch_exif *exif, int directory, uint16_t tag, uint32_t index, double *number) {
  ExifEntry *entry = entry_of(exif, directory, tag);
  if (!entry) return false;
  unsigned size = library.size(entry->format);
  if (size == 0 || (uint64_t)size * (index + 1ull) > entry->size) return false;
  const unsigned char *at = entry->data + (size_t)size * index;
  ExifByteOrder order = library.byte_order(exif->data);
  switch (entry->format) {
    case EXIF_FORMAT_BYTE: *number = *at; return true;
    case EXIF_FORMAT_SHORT: *number = library.get_short(at, order); return true;
    case EXIF_FORMAT_LONG: *number = library.get_long(at, order); return true;
    case EXIF_FORMAT_RATIONAL: {
      ExifRational value = library.get_rational(at, order);
      return quotient(value.numerator, value.denominator, number);
    }
    case EXIF_FORMAT_SRATIONAL: {
      ExifSRational value = library.get_srational(at, order);
      return quotient(value.numerator, value.denominator, number);
    }
    default: return false;
  }
}

void imgfetch_exif_close(imgfetch_exif *exif) {
  if (!exif) return;
  library.release(exif->data);
  free(exif);
}
