/* SPDX-License-Identifier: Apache-2.0 */
/* place: where the kernels were installed; in the installed library this object is another one (make install). */
#include "lab/run/load.h"

const char traces_installed[] = "";
