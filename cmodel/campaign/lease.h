/* SPDX-License-Identifier: Apache-2.0 */
/* lease: who has a run. run.owner and run.lease (seconds since 1970) say it, from the beginning of a run to its end. */
#ifndef RT_CAMPAIGN_LEASE_H
#define RT_CAMPAIGN_LEASE_H

#include "campaign/sweep.h"

enum { LEASE_SECONDS = 60, LEASE_OWNER = 512 };
enum lease { LEASE_MINE, LEASE_THEIRS, LEASE_OVER, LEASE_BAD }; /* OVER: it ended meanwhile; BAD: *e */

void lease_owner(char owner[LEASE_OWNER]); /* of this process: host, process id and when it began */
/* Of this host, and not among the living any more. */
bool lease_dead(const char *owner);
/* r->state and r->tries are what the database says then. */
enum lease lease_take(struct sweep *s, struct sweep_run *r, const char *owner, struct err *e);
/* All of an owner. */
bool lease_renew(struct sweep *s, const char *owner, unsigned seconds, struct err *e);
/* The run's end into the database; r->state and r->tries follow. */
bool lease_end(struct sweep *s, struct sweep_run *r, const struct answer *a, const void *out, struct err *e);

#endif
