#include "CPosixShim.h"

#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <resolv.h>

void imgfetch_resolver_limit(int seconds) {
  // Only where something changes: glibc stops looking for a new resolv.conf once a thread's copy was edited.
  if (res_init() == 0 && _res.retrans > seconds) _res.retrans = seconds;
}

bool imgfetch_resolver_is_reachable(void) {
  struct __res_state state = {0};
  unsigned char answer[NS_PACKETSZ];
  if (res_ninit(&state) != 0) return false;
  state.retrans = 1;
  state.retry = 1;
  // Every resolver knows the root. A refusal, a failure and silence show that there is one, or a way to it.
  int length = res_nquery(&state, ".", ns_c_in, ns_t_ns, answer, sizeof answer);
  int code = errno;
  res_nclose(&state);
  return length >= 0 || code != ECONNREFUSED;
}
