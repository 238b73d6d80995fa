/* SPDX-License-Identifier: Apache-2.0 */
/* plain: nothing but L2 stands behind an L1 access. */
#include "sm/slots.h"

const struct l1_ops l1_plain = {.name = "plain"};
