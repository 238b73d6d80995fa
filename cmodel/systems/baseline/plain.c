/* SPDX-License-Identifier: Apache-2.0 */
/* plain: an L1 miss goes to L2. */
#include "sm/slot_api.h"

const struct l1_ops l1_plain = {.name = "plain"};
