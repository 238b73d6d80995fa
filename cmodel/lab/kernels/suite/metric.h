/* SPDX-License-Identifier: Apache-2.0 */
/* metric: the metrics by which results of two runs of a kernel are compared, as manifests name them; what they are is in
 * lab/run/quality.h. */
#ifndef RT_SUITE_METRIC_H
#define RT_SUITE_METRIC_H

#include <stdbool.h>

enum quality_metric { QUALITY_EXACT, QUALITY_DEVIATION, QUALITY_SSIM };
extern const char quality_metrics[];                           /* their names, in this order: "exact|deviation|ssim" */
bool quality_metric(const char *name, enum quality_metric *m); /* false: there is none of this name */
const char *quality_metric_name(enum quality_metric m);

#endif
