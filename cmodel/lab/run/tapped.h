/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tapped: a stream around another, which sees every instruction that is given: it is recorded, or shown to a tap
 * (exec/exec.h), for streams that do not do that themselves.
 */
#ifndef RT_RUN_TAPPED_H
#define RT_RUN_TAPPED_H

#include "exec/exec.h"
#include "trace/trf/trf_write.h"

struct tap_to { /* NULL: neither */
  const struct exec_tap *tap;
  struct trf_writer *writer;
  const struct code *code; /* of the launch */
};
/* Takes `in` over, which is freed with it. In a trace, CTAs lie in the order in which they end, those of a quantum by the order
 * in which the streams get their quantum. */
struct stream *stream_tapped(struct stream *in, const struct stream_room *room, const struct tap_to *to);

#endif
