#define _GNU_SOURCE
#include "CPosixShim.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

struct imgfetch_mapping {
  // 0: free, to be taken again.
  _Atomic uintptr_t base;
  size_t length;
  imgfetch_mapping *next;
};

// Places are added and used again, never removed: the handler may walk here at any time.
static _Atomic(imgfetch_mapping *) places;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static int is_installed;

static int replace_lost(uintptr_t address) {
  for (imgfetch_mapping *place = atomic_load(&places); place; place = place->next) {
    uintptr_t base = atomic_load(&place->base);
    if (!base || address < base || address - base >= place->length) continue;
    // All of it, so that its beginning tells that it is lost. Two threads that come here at once both do it, and lose
    // what the first wrote in between, which was lost already.
    return mmap((void *)base, place->length, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
  }
  return 0;
}

static void pass_on(int number, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  } else {
    // A fault comes again as soon as this returns; a signal that was sent has to be sent again.
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);
  }
}

static void handle(int number, siginfo_t *info, void *context) {
  int reason = errno;
  // Positive: the kernel found no memory there. Else the signal was sent, and the address means nothing.
  if (info->si_code <= 0 || !replace_lost((uintptr_t)info->si_addr)) pass_on(number, info, context);
  errno = reason;
}

void imgfetch_mapping_handle_bus_errors(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&action.sa_mask);
  pthread_mutex_lock(&lock);
  if (!is_installed) {
    is_installed = sigaction(SIGBUS, NULL, &previous) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
  }
  pthread_mutex_unlock(&lock);
}

imgfetch_mapping *imgfetch_mapping_guard(void *base, size_t length) {
  pthread_mutex_lock(&lock);
  imgfetch_mapping *place = NULL;
  if (is_installed) {
    place = atomic_load(&places);
    while (place && atomic_load(&place->base)) place = place->next;
    int is_new = place == NULL;
    if (is_new) place = calloc(1, sizeof *place);
    if (place) {
      place->length = length;
      atomic_store(&place->base, (uintptr_t)base);
      if (is_new) {
        place->next = atomic_load(&places);
        atomic_store(&places, place);
      }
    }
  }
  pthread_mutex_unlock(&lock);
  return place;
}

void imgfetch_mapping_release(imgfetch_mapping *place) { atomic_store(&place->base, 0); }
