/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regtwin: the library's public face in one header. Link with `pkg-config --cflags --libs regtwin`.
 *
 * From a launch file to counters: workload_open, config_defaults and config_machine, run_workload, result_print.
 * From PTX alone: ptx_load, alloc_kernel or pack_kernel, then stream_functional or exec_run.
 */
#ifndef REGTWIN_H
#define REGTWIN_H

#include "analysis/analysis.h"
#include "base/err.h"
#include "code/code.h"
#include "config/config.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "lab/load.h"
#include "lab/result.h"
#include "lab/run.h"
#include "mem/mem.h"
#include "ptx/ptx.h"
#include "report/json.h"
#include "report/table.h"
#include "stream/stream.h"

#endif
