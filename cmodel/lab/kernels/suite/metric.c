/* SPDX-License-Identifier: Apache-2.0 */
/* metric: see metric.h. */
#include "lab/kernels/suite/metric.h"

#include "base/words.h"

const char quality_metrics[] = "exact|deviation|ssim";

bool quality_metric(const char *name, enum quality_metric *m) {
  int i = words_index(quality_metrics, name);
  if (i >= 0) *m = (enum quality_metric)i;
  return i >= 0;
}

const char *quality_metric_name(enum quality_metric m) {
  return m == QUALITY_EXACT ? "exact" : m == QUALITY_DEVIATION ? "deviation" : "ssim";
}
