/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handle: streams, events, memory pools, arrays and graphs as the program holds them: numbers, not pointers, so that a wrong or an old handle
 * is found and never followed. Its bits: a count of how often the place was used (32), the place (24), what it is (8).
 * Handles of an earlier session are void: their objects are freed at the next call. With the lock of runtime.h held.
 */
#ifndef RT_CUDART_HANDLE_H
#define RT_CUDART_HANDLE_H

#include <stdint.h>

enum handle_tag {
  HANDLE_STREAM = 0x51,
  HANDLE_EVENT = 0x52,
  HANDLE_POOL = 0x53,
  HANDLE_ARRAY = 0x54,
  HANDLE_MIPMAPPED,
  HANDLE_GRAPH,
  HANDLE_NODE,
  HANDLE_EXEC
};
struct handles {
  enum handle_tag tag;
  void (*release)(void *object); /* frees what an object owns, before the object itself; NULL: it owns nothing */
  struct handle_place *place;
  uint32_t n, cap, spare; /* spare: 1 + a place that is free; 0: none */
  unsigned generation;    /* of the session (rt_generation) that they belong to */
};

/* Takes the object over, which handle_drop frees with free(). NULL: no room. */
void *handle_new(struct handles *h, void *object);
void *handle_get(struct handles *h, const void *handle); /* NULL: no such handle, or no longer */
void handle_drop(struct handles *h, const void *handle);

#endif
