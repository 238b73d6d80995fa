/* SPDX-License-Identifier: Apache-2.0 */
/* example: the slices' source indirection table, Verilated, in a simulation that C drives: docs/develop/systemc.md */
#include <stdio.h>

#include "rt_sc.h"

int main(int argc, char **argv) {
  struct rt_sc *s = rt_sc_create();
  struct rt_sc_instance *sit = rt_sc_add(s, "sit", RT_SC_RTL, "sit");
  if (!sit || (argc > 1 && !rt_sc_trace(s, argv[1]))) goto error;

  uint32_t one = 1, zero = 0, reg = 37, entry = 0x0c25f011;
  uint32_t request[2] = {1, 0}, address[12] = {37}, none[2] = {0, 0};
  /* cycle 0: register 37's entry is loaded */
  if (!rt_sc_write(sit, "load_valid_i", &one) || !rt_sc_write(sit, "load_addr_i", &reg) ||
      !rt_sc_write(sit, "load_entry_i", &entry))
    goto error;
  if (!rt_sc_step(s, 1)) goto error;
  /* cycle 1: requester 0 asks for it, and is granted in the same cycle */
  uint32_t grant[2], valid, got[16];
  if (!rt_sc_write(sit, "load_valid_i", &zero) || !rt_sc_write(sit, "request_valid_i", request) ||
      !rt_sc_write(sit, "request_addr_i", address))
    goto error;
  if (!rt_sc_settle(s) || !rt_sc_read(sit, "grant_o", grant) || !rt_sc_step(s, 1)) goto error;
  /* cycle 2: its bank answers */
  if (!rt_sc_write(sit, "request_valid_i", none) || !rt_sc_settle(s)) goto error;
  if (!rt_sc_read(sit, "response_valid_o", &valid) || !rt_sc_read(sit, "response_entry_o", got)) goto error;
  printf("granted %x; answering banks %04x;", grant[0], valid);
  for (unsigned bank = 0; bank < 16; bank++)
    if (valid >> bank & 1) printf(" bank %u: %08x", bank, got[bank]);
  printf("; %llu cycles\n", (unsigned long long)rt_sc_cycle(s));
  rt_sc_destroy(s);
  return 0;
error:
  fprintf(stderr, "example: %s\n", rt_sc_error(s));
  rt_sc_destroy(s);
  return 1;
}
