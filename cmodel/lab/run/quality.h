/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality: the distance between the results of two runs of a kernel, by the metric that its manifest names. The
 * metrics and the two levels are those of the slices paper, 5.3 and 6.1.
 *
 * Results are the buffers of the launch file's `expect` statements, as they are at the last one for each; for
 * ssim only those of them that an `image` statement shows. Of several results the worst one counts.
 *
 * exact      The number of elements that differ. Equal are the same bits, 0.0 and -0.0, and two NaNs.
 * deviation  100 % * sum |x - r| / sum |r| over a buffer's elements r of the reference and x of the other
 *            run, as doubles in their order. The paper says no more than "percentage of deviation from the
 *            correct output"; a quotient of sums, because a mean of quotients has no value where an r is 0.
 *            Equal elements, be they infinite or NaN, add nothing to the upper sum; only finite r add to the
 *            lower. If just one of x and r is NaN or infinite, or they are different infinities, or all r are
 *            0 and an x is not, the deviation is infinite; so it is when a sum leaves the range of a double.
 * ssim       Mean structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, IEEE
 *            Trans. Image Processing 13(4), 2004, equations 13 to 17) of the pictures with their 8-bit levels, as
 *            `regtwin run --images` writes them, so black and white are the image statement's: Gaussian windows of
 *            11 x 11 pixels, sigma 1.5, weights that add up to 1, at each place where a window lies completely inside
 *            the picture; K1 = 0.01, K2 = 0.03, L = 255. Of red, green and blue the luminance
 *            0.299 R + 0.587 G + 0.114 B, not rounded.
 *
 * A reference from which quality cannot be judged is refused: a result without a finite number; for a deviation only
 * zeros, for ssim pictures of one level, in all results.
 *
 * Plain double arithmetic in a fixed order, and no function of the mathematics library.
 */
#ifndef RT_RUN_QUALITY_H
#define RT_RUN_QUALITY_H

#include "lab/run/load.h"
#include "lab/kernels/suite/metric.h"

enum { QUALITY_WINDOW = 11 };
/* That of the about.yaml beside a launch file, or the one named, if `name` is not NULL. */
bool quality_metric_of(const char *launch_file, const char *name, enum quality_metric *m, struct err *e);

/* perfect: nothing differs (of pictures, no pixel in its luminance, which is to say that ssim is 1). high:
 * ssim of 0.9 at least, a deviation of 10 % at most; exact has no such level. low: the rest. */
enum quality_level { QUALITY_LOW, QUALITY_HIGH, QUALITY_PERFECT };
struct quality {
  enum quality_metric metric;
  enum quality_level level;
  double value;        /* elements that differ, percent (perhaps infinite), or ssim */
  uint64_t differ, of; /* elements, for ssim pixels; of 0: nothing was compared */
};
/* "ssim 0.987654", "deviation 0.25 %", "exact", "exact: 3 of 100 elements differ" */
void quality_text(const struct quality *q, char *buf, size_t size);
const char *quality_level_name(enum quality_level l);

/* The metrics by themselves. Pictures have 1 or 3 channels and at least QUALITY_WINDOW pixels each way. */
uint64_t quality_differ(enum dtype t, const void *reference, const void *other, uint64_t n);
double quality_deviation(enum dtype t, const void *reference, const void *other, uint64_t n);
double quality_ssim(const uint8_t *reference, const uint8_t *other, uint32_t width, uint32_t height, unsigned channels);

/* The results of a run. Zero it before use; it owns its buffers, which are copies. */
struct quality_results {
  char path[1024]; /* of the launch file, for messages */
  struct quality_buffer {
    struct host_result is; /* with the image's members if an image statement shows it; data is NULL */
    char name[128];
    void *data, *picture; /* at its last expect; at its last image */
    uint64_t n;           /* elements of data: a swap may have put another buffer in the place of the picture's */
  } * buffer;
  unsigned n, cap;
  bool steered; /* what the file launched may depend on results (host_ops, launch/launch.h) */
};
void quality_keep(struct quality_results *r, const struct host_result *is);
void quality_free(struct quality_results *r);
/* Executes a workload, without timing; with `unchecked` its expectations are not checked.
 * `by`: executes each launch; NULL: exec_run as it is. */
struct launcher {
  bool (*launch)(void *ctx, const struct launch *l, struct err *e);
  void *ctx;
};
bool quality_run(struct workload *w, uint64_t seed, bool unchecked, const struct launcher *by,
                 struct quality_results *r, struct err *e);

/* Compares all results of the reference. `each`, if there is one: an entry for each of reference->buffer.
 * False and *e: the other run has not the same results, there is none, or a picture is too small. */
bool quality_compare(enum quality_metric m, const struct quality_results *reference,
                     const struct quality_results *other, struct quality *each, struct quality *worst, struct err *e);

#endif
