// The functions that the linked-in libraries would need of glibc 2.35, so that the released program starts with 2.34
// (Ubuntu 22.04 has 2.35, RHEL 9 and Amazon Linux 2023 have 2.34). Hidden: only this program is to find them. Only
// where the libraries are linked in; else each brings what it needs.
#ifdef IMGFETCH_OLDER_GLIBC
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stddef.h>

#if __GLIBC_PREREQ(2, 35)

// libm has had it for ever; 2.35 gave it a new version, which no longer sets errno. The products of two floats are
// exact as doubles, and neither overflow nor vanish.
__attribute__((visibility("hidden"))) float hypotf(float x, float y) {
  if (__builtin_isinf(x) || __builtin_isinf(y)) return __builtin_inff();
  return (float)__builtin_sqrt((double)x * x + (double)y * y);
}

struct search {
  ElfW(Addr) address;
  struct dl_find_object *found;
};

static int look(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  int is_there = 0;
  void *frames = NULL;
  for (unsigned n = 0; n < object->dlpi_phnum; n++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[n];
    ElfW(Addr) start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) frames = (void *)start;
    if (part->p_type != PT_LOAD || search->address - start >= part->p_memsz) continue;
    is_there = 1;
    search->found->dlfo_map_start = (void *)start;
    search->found->dlfo_map_end = (void *)(start + part->p_memsz);
  }
  if (!is_there || !frames) return 0;
  search->found->dlfo_eh_frame = frames;
  return 1;
}

// Where the unwinder of libgcc finds what a C++ exception passes through. glibc's is faster; only zimg throws here, for
// a size or a format that it does not take. The unwinder reads the frames only.
__attribute__((visibility("hidden"))) int _dl_find_object(void *address, struct dl_find_object *result) {
  *result = (struct dl_find_object){0};
  struct search search = {(ElfW(Addr))address, result};
  return dl_iterate_phdr(look, &search) ? 0 : -1;
}

#endif
#endif
