/* SPDX-License-Identifier: Apache-2.0 */
/* lease: see lease.h. */
#include "lab/database/lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const sweep_states[SWEEP_STATES] = {"waiting", "running", "done", "failed", "lost", "refused"};

/* When a process began, in ticks since the host did: a process id is used again. 0: there is none. */
static uint64_t process_start_time(long pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *f = fopen(path, "re");
  if (!f) return 0;
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  const char *p = strrchr(text, ')'); /* the name before it may hold anything */
  uint64_t v = 0;
  for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
  return p && sscanf(p, "%" SCNu64, &v) == 1 ? v : 0;
}

static void host_of(char host[65]) {
  if (gethostname(host, 64)) snprintf(host, 65, "?");
  host[64] = 0;
}

void lease_owner(char owner[LEASE_OWNER]) {
  char host[65];
  host_of(host);
  snprintf(owner, LEASE_OWNER, "%s %ld %" PRIu64, host, (long)getpid(), process_start_time(getpid()));
}

bool lease_dead(const char *owner) {
  char host[65], of[65];
  long pid;
  uint64_t start;
  host_of(host);
  if (sscanf(owner, "%64s %ld %" SCNu64, of, &pid, &start) != 3 || strcmp(of, host) != 0) return false;
  return process_start_time(pid) != start;
}

/* Within a transaction. */
static enum lease lease_look(struct db *db, struct leased *r, unsigned again, struct err *e) {
  sqlite3_stmt *x = db_prepare(db, "SELECT state, tries, owner, lease FROM run WHERE key = ?", e);
  if (!x) return LEASE_BAD;
  db_bind_text(x, 1, r->key);
  const int got = db_step(db, x, e);
  if (got < 0) return LEASE_BAD;
  const char *state = got ? (const char *)sqlite3_column_text(x, 0) : NULL;
  const char *owner = got ? (const char *)sqlite3_column_text(x, 2) : NULL;
  for (unsigned i = 0; state && i < SWEEP_STATES; i++)
    if (!strcmp(state, sweep_states[i])) r->state = i;
  r->tries = got ? (unsigned)sqlite3_column_int64(x, 1) : 0;
  const bool theirs = owner && sqlite3_column_int64(x, 3) > time(NULL) && !lease_dead(owner);
  sqlite3_reset(x);
  if (!state)
    return err_at(e, db_path(db), 0, 0, "found no run %.12s, expected it: another program took it out", r->key),
           LEASE_BAD;
  if (r->state == SWEEP_RUNNING) return theirs ? LEASE_THEIRS : LEASE_MINE;
  return r->state == SWEEP_WAITING || (r->state == SWEEP_LOST && r->tries <= again) ? LEASE_MINE : LEASE_OVER;
}

enum lease lease_take(struct db *db, struct leased *r, unsigned again, const char *owner, struct err *e) {
  if (!db_begin(db, e)) return LEASE_BAD;
  enum lease l = lease_look(db, r, again, e);
  sqlite3_stmt *x = NULL;
  bool ok = l != LEASE_BAD;
  if (l == LEASE_MINE &&
      (ok = (x = db_prepare(db, "UPDATE run SET state = 'running', owner = ?, lease = ?, changed = ? WHERE key = ?",
                            e)))) {
    db_bind_text(x, 1, owner);
    sqlite3_bind_int64(x, 2, time(NULL) + LEASE_SECONDS);
    sqlite3_bind_int64(x, 3, time(NULL));
    db_bind_text(x, 4, r->key);
    ok = !db_step(db, x, e);
    r->state = SWEEP_RUNNING;
  }
  return db_end(db, ok, e) ? l : LEASE_BAD;
}

bool lease_renew(struct db *db, const char *owner, unsigned seconds, struct err *e) {
  sqlite3_stmt *x = db_prepare(db, "UPDATE run SET lease = ? WHERE owner = ? AND state = 'running'", e);
  if (!x) return false;
  sqlite3_bind_int64(x, 1, time(NULL) + seconds);
  db_bind_text(x, 2, owner);
  return db_begin(db, e) && db_end(db, !db_step(db, x, e), e);
}

bool lease_end(struct db *db, struct leased *r, const struct answer *a, const void *out, struct err *e) {
  struct db_run id = {0};
  memcpy(id.key, r->key, sizeof id.key);
  if (!db_begin(db, e) || !db_end(db, db_finish(db, &work_run, &id, a, out, e), e)) return false;
  r->state = a->ok ? SWEEP_DONE : a->lost ? SWEEP_LOST : SWEEP_FAILED;
  r->tries++;
  return true;
}
