/* SPDX-License-Identifier: Apache-2.0 */
/* near: see near.h. */
#include "systems/malekeh/near.h"

void malekeh_near(const struct config *cfg, struct near_want *want) {
  *want = (struct near_want){.source = cfg->malekeh_near == malekeh_near_exact ? NEAR_EXACT : NEAR_PROFILE,
                             .file = cfg->malekeh_profile,
                             .most = (uint32_t)cfg->malekeh_rthld};
}
