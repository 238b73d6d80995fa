/* SPDX-License-Identifier: Apache-2.0 */
/* lease: who has a run. run.owner and run.lease (seconds since 1970) say it, from the beginning of a run to its end. */
#ifndef RT_DATABASE_LEASE_H
#define RT_DATABASE_LEASE_H

#include "lab/database/db.h"

enum sweep_state { SWEEP_WAITING, SWEEP_RUNNING, SWEEP_DONE, SWEEP_FAILED, SWEEP_LOST, SWEEP_REFUSED, SWEEP_STATES };
extern const char *const sweep_states[SWEEP_STATES]; /* as the column run.state has them */

struct leased { /* a run of the database */
  char key[IDENTITY];
  enum sweep_state state;
  unsigned tries;
};

enum { LEASE_SECONDS = 60, LEASE_OWNER = 512 };
enum lease { LEASE_MINE, LEASE_THEIRS, LEASE_OVER, LEASE_BAD }; /* OVER: it ended meanwhile; BAD: *e */

void lease_owner(char owner[LEASE_OWNER]); /* of this process: host, process id and when it began */
/* Of this host, and not among the living any more. */
bool lease_dead(const char *owner);
/* r->state and r->tries become what the database has. again: how often a run that was lost is tried again. */
enum lease lease_take(struct db *db, struct leased *r, unsigned again, const char *owner, struct err *e);
/* All runs of an owner. */
bool lease_renew(struct db *db, const char *owner, unsigned seconds, struct err *e);
/* Writes the run's end into the database; r->state and r->tries follow. */
bool lease_end(struct db *db, struct leased *r, const struct answer *a, const void *out, struct err *e);

#endif
