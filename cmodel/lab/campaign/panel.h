/* SPDX-License-Identifier: Apache-2.0 */
/* panel: which measures `run --timeline` draws window by window (lab/campaign/panel.def, systems/NAME/paper.def). */
#ifndef RT_CAMPAIGN_PANEL_H
#define RT_CAMPAIGN_PANEL_H

#include "lab/campaign/measure.h"
#include "lab/run/timeline.h"

enum { PANELS = 16 };
/* Of every system; returns how many there are. */
unsigned panels_all(struct timeline_panel out[PANELS]);
/* Cycles of a window of the configuration's own; 0: it has none. */
uint64_t panels_window(const struct config *c);

#endif
