/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dram: channels with banks, open rows and one data bus each; FR-FCFS.
 *
 * A request is one line's sectors in one burst. Each bank serves one request at a time: it chooses among its own
 * waiting ones (the open row first, then the oldest), precharges and activates if it must, and then stands ready. The
 * channel gives activates (one per tRRD, four per tFAW) and its data bus to the oldest bank that is ready for it. So
 * rows are opened while other banks transfer, and the bus has no gap as long as a bank is ready. A column command is
 * given CL before its data; the bank chooses its next request at once.
 *
 * Reads and writes have a queue of dram.queue each. Writes go in batches, since each change of the bus's direction
 * costs time: a read's data tWTR + CL after the last of a write, a write's tRTW after that of a read. The channel
 * drains when it has write_high writes: its banks take writes first, until no more than write_low wait that no bank
 * serves, and the drain ends when those in service have gone. Reads go on until the first writes' rows are open.
 * Outside of a drain reads go first, and writes only while the channel has no read at all. While the other kind waits,
 * a drain lasts dram.starve cycles at most and a batch of reads or writes is at least write_high - write_low. When a
 * batch begins and ends is an assumption (docs/reference/memory.md). In a bank, a request older than dram.starve goes before row
 * hits of its kind. Read to precharge: the burst, counted from the column command; write to precharge: tWR from the last
 * data. Rows stay open until another one is wanted. No refresh.
 *
 * In a share with less than a whole channel of bandwidth the bus, its turnarounds and the rate of activates (tRRD,
 * tFAW) are slowed by the same exact factor; latencies within a bank are not.
 *
 * Commands and data have exact times, in 1/256 cycle; a time of the configuration is rounded up to that, a rate (the
 * bus, tRRD) not at all. What happens at time x happens in cycle x >> 8, since everything outside is in whole cycles.
 */
#include <stdlib.h>

#include "mem/internal.h"

/* A time of the configuration in 1/256 cycle, rounded up. */
static uint64_t dram_fine_time(int64_t ps, const struct config *cfg) {
  return ((uint64_t)ps * (uint64_t)cfg->gpu_clock_mhz * 256 + 999999) / 1000000;
}

void dram_init(struct mem *m, const struct config *cfg) {
  uint64_t all = (uint64_t)cfg->gpu_sms, part = (uint64_t)cfg->dram_channels * m->sms; /* part/all */
  uint64_t n = (2 * part + all) / (2 * all);
  if (!n) n = 1;
  m->nchannels = (uint32_t)n;
  m->by_channel = part_of(m->nchannels);
  m->by_column = part_of((uint32_t)cfg->dram_row_bytes / 128);
  m->by_bank = part_of((uint32_t)cfg->dram_banks);
  m->banks = (uint32_t)cfg->dram_banks;
  m->dq = (uint32_t)cfg->dram_queue;
  m->dram_latency = (uint32_t)cfg->dram_latency;
  m->starve = (uint32_t)cfg->dram_starve;
  m->cl[0] = dram_fine_time(cfg->dram_cl_ps, cfg);
  m->cl[1] = dram_fine_time(cfg->dram_wl_ps, cfg);
  m->rcd = dram_fine_time(cfg->dram_rcd_ps, cfg);
  m->rp = dram_fine_time(cfg->dram_rp_ps, cfg);
  m->ras = dram_fine_time(cfg->dram_ras_ps, cfg);
  m->rc = dram_fine_time(cfg->dram_rc_ps, cfg);
  m->wr = dram_fine_time(cfg->dram_wr_ps, cfg);
  /* 32 bytes at mbps * sms / all / n (1e6 bytes/s), in cycles of clock_mhz (1e6 / s) */
  m->burst = rate_of(32 * (uint64_t)cfg->gpu_clock_mhz * all * n, (uint64_t)cfg->dram_mbps * m->sms);
  m->faw = (dram_fine_time(cfg->dram_faw_ps, cfg) * all * n + part - 1) / part;
  m->turn[0] = (dram_fine_time(cfg->dram_wtr_ps + cfg->dram_cl_ps, cfg) * all * n + part - 1) / part;
  m->turn[1] = (dram_fine_time(cfg->dram_rtw_ps, cfg) * all * n + part - 1) / part;
  m->write_high = (uint32_t)cfg->dram_write_high;
  m->write_low = (uint32_t)cfg->dram_write_low;
  m->rrd = rate_of((uint64_t)cfg->dram_rrd_ps * (uint64_t)cfg->gpu_clock_mhz * all * n, 1000000 * part);
  m->channel = xcalloc(m->nchannels, sizeof *m->channel);
  for (uint32_t i = 0; i < m->nchannels; i++) {
    struct channel *c = &m->channel[i];
    c->e = xcalloc(2 * (size_t)m->dq, sizeof *c->e);
    for (uint32_t k = 0; k < 2 * m->dq; k++) c->e[k].next = k + 1 < 2 * m->dq ? (uint16_t)(k + 1) : NIL;
    c->next = NEVER;
    c->batch = m->write_high - m->write_low; /* the first drain need not wait */
    c->when = xcalloc(m->banks, sizeof *c->when);
    c->age = xcalloc(m->banks, sizeof *c->age);
    c->turn = xmalloc(m->banks * sizeof *c->turn);
    for (uint32_t k = 0; k < m->banks; k++) c->turn[k] = NEVER;
    c->bank = xcalloc(m->banks, sizeof *c->bank);
    for (uint32_t k = 0; k < m->banks; k++)
      c->bank[k] = (struct bank){.row = NONE, .cur = NIL, .head = {NIL, NIL}, .tail = {NIL, NIL}};
  }
}

void dram_free(struct mem *m) {
  for (uint32_t i = 0; i < m->nchannels; i++) {
    free(m->channel[i].e);
    free(m->channel[i].bank);
    free(m->channel[i].when);
    free(m->channel[i].age);
    free(m->channel[i].turn);
    free(m->channel[i].fills);
  }
  free(m->channel);
}

void dram_wait(struct mem *m, uint32_t ch, uint32_t slice) {
  set_add(m->channel[ch].waiting, slice);
  m->slice[slice].for_channel = true;
}

static uint16_t open_row_first(const struct channel *c, const struct bank *b, bool write) {
  for (uint16_t i = b->head[write]; i != NIL; i = c->e[i].next)
    if (c->e[i].row == b->row) return i;
  return b->head[write];
}

/* Waiting writes that no bank serves. */
static uint32_t writes_waiting(const struct channel *c) { return c->n[1] - (uint32_t)bit_count64(c->writing); }

/* What an idle bank serves next, NIL: nothing now. */
static uint16_t dram_choose_request(const struct mem *m, const struct channel *c, const struct bank *b, uint64_t t) {
  bool drain = c->drain && writes_waiting(c) > m->write_low;
  bool write = b->head[1] != NIL && (drain || b->head[0] == NIL);
  uint16_t old = b->head[write];
  if (old == NIL || (write && !drain && c->n[0])) return NIL;
  return t - c->e[old].since > m->starve ? old : open_row_first(c, b, write);
}

static void unlink_entry(struct channel *c, struct bank *b, uint16_t i) {
  const struct entry *e = &c->e[i];
  if (e->prev != NIL) c->e[e->prev].next = e->next;
  else b->head[e->write] = e->next;
  if (e->next != NIL) c->e[e->next].prev = e->prev;
  else b->tail[e->write] = e->prev;
  if (b->head[e->write] == NIL) c->any[e->write] &= ~(1ull << e->bank);
}

/* When the ready bank k can be given its column command: CL (a write: WL) ahead of the data. */
static uint64_t column_at(const struct mem *m, const struct channel *c, int k) {
  bool write = c->writing >> k & 1;
  uint64_t bus = c->bus.at + (write == c->dir ? 0 : m->turn[write]);
  return bus > c->when[k] + m->cl[write] ? bus - m->cl[write] : c->when[k];
}

/* An idle bank chooses its next request at time x. */
static void dram_start_request(struct mem *m, struct channel *c, uint32_t bank, uint64_t x) {
  struct bank *b = &c->bank[bank];
  uint16_t i = dram_choose_request(m, c, b, x >> 8);
  if (i == NIL) return;
  const struct entry *e = &c->e[i];
  uint64_t bit = 1ull << bank;
  unlink_entry(c, b, i);
  b->cur = i;
  c->busy |= bit;
  if (e->write) c->writing |= bit;
  c->age[bank] = e->seq;
  uint64_t when = x;
  if (b->row == e->row) {
    m->st.dram_row_hit++;
    c->ready |= bit;
    c->when[bank] = x;
    when = column_at(m, c, (int)bank);
  } else {
    if (b->row == NONE) {
      m->st.dram_row_miss++;
    } else {
      m->st.dram_row_conflict++;
      uint64_t closed = (x > b->pre_ok ? x : b->pre_ok) + m->rp, again = b->act + m->rc;
      when = closed > again ? closed : again;
    }
    b->row = e->row;
    c->act_wait |= bit;
    c->when[bank] = when;
    c->turn[bank] = e->seq << 6 | bank;
    if (when < c->act.at) when = c->act.at;
  }
  if (when >> 8 < c->next) c->next = when >> 8;
}

/* Banks that only writes wait for, when writes may go now. */
static void dram_start_writes(struct mem *m, struct channel *c, uint64_t x) {
  for (uint64_t set = c->any[1] & ~c->busy; set; set &= set - 1) dram_start_request(m, c, (uint32_t)bit_low64(set), x);
}

/* Begins or ends a drain. true: it begins, and banks that only writes wait for may serve them. */
static bool begins_drain(const struct mem *m, struct channel *c, uint64_t t) {
  bool whole = c->batch >= m->write_high - m->write_low;
  bool drain = c->drain
                   ? (writes_waiting(c) > m->write_low || c->writing) && !(c->n[0] && whole && t - c->since > m->starve)
                   : c->n[1] >= m->write_high && (whole || !c->n[0]);
  if (drain == c->drain) return false;
  c->drain = drain;
  c->batch = 0;
  c->since = t;
  if (t < c->next) c->next = t; /* a ready bank may be the next now */
  return drain;
}

/* A new entry at the end of its bank's list; the caller fills in what it carries and then calls arrived. */
static struct entry *dram_enqueue(struct mem *m, struct place p, bool write, uint64_t t) {
  struct channel *c = &m->channel[p.channel];
  struct bank *b = &c->bank[p.bank];
  uint16_t i = c->free, last = b->tail[write];
  struct entry *e = &c->e[i];
  c->free = e->next;
  e->write = write;
  e->seq = c->seq++;
  e->since = t;
  e->row = p.row;
  e->bank = (uint8_t)p.bank;
  e->prev = last;
  e->next = NIL;
  if (last == NIL) b->head[write] = i;
  else c->e[last].next = i;
  b->tail[write] = i;
  c->any[write] |= 1ull << p.bank;
  c->n[write]++;
  return e;
}

static void dram_arrived(struct mem *m, struct place p, bool write, uint64_t t) {
  struct channel *c = &m->channel[p.channel];
  if (write && begins_drain(m, c, t)) dram_start_writes(m, c, t << 8);
  else if (c->bank[p.bank].cur == NIL) dram_start_request(m, c, p.bank, t << 8);
  else return;
  if (c->next != NEVER) mem_event_by(m, p.channel, c->next);
}

void dram_read(struct mem *m, struct place p, uint8_t sectors, uint32_t mshr, uint64_t t) {
  struct entry *e = dram_enqueue(m, p, false, t);
  e->mshr = mshr;
  e->mask = sectors;
  e->nread = (uint8_t)sectors_in(sectors);
  e->nwrite = 0;
  dram_arrived(m, p, false, t);
}

void dram_write(struct mem *m, struct place p, uint8_t dirty, uint8_t part, uint64_t t) {
  struct entry *e = dram_enqueue(m, p, true, t);
  e->nread = (uint8_t)sectors_in(part);
  e->nwrite = (uint8_t)sectors_in(dirty);
  dram_arrived(m, p, true, t);
}

static void push_fill(struct channel *c, uint64_t at, uint32_t mshr, uint8_t mask) {
  if (c->fill_n == c->fill_cap) {
    uint32_t cap = c->fill_cap ? c->fill_cap * 2 : 64;
    struct fill *f = xmalloc(cap * sizeof *f);
    for (uint32_t i = 0; i < c->fill_n; i++) f[i] = c->fills[(c->fill_head + i) & (c->fill_cap - 1)];
    free(c->fills);
    c->fills = f;
    c->fill_head = 0;
    c->fill_cap = cap;
  }
  c->fills[(c->fill_head + c->fill_n++) & (c->fill_cap - 1)] = (struct fill){at, mshr, mask};
}

/* Oldest of the banks that wait to activate and are due; -1: none. */
static int oldest_due(const struct mem *m, const struct channel *c, uint64_t t) {
  uint64_t least = NEVER;
  for (uint32_t i = 0; i < m->banks; i++) least = c->turn[i] < least ? c->turn[i] : least;
  int best = (int)(least & 63);
  if (c->when[best] >> 8 <= t) return best; /* nearly always */
  best = -1;
  least = NEVER;
  for (uint64_t set = c->act_wait; set; set &= set - 1) {
    int k = bit_low64(set);
    uint64_t age = c->when[k] >> 8 <= t ? c->age[k] : NEVER;
    best = age < least ? k : best;
    least = age < least ? age : least;
  }
  return best;
}

static int dram_oldest_bank(const struct channel *c, uint64_t set) {
  int best = bit_low64(set);
  for (set &= set - 1; set; set &= set - 1) {
    int k = bit_low64(set);
    best = c->age[k] < c->age[best] ? k : best;
  }
  return best;
}

/* The time at which the first bank of `set` is due, or `floor` if that is later. */
static uint64_t dram_soonest_bank(const struct channel *c, uint64_t set, uint64_t floor) {
  uint64_t least = NEVER;
  for (; set && least > floor; set &= set - 1) {
    uint64_t when = c->when[bit_low64(set)];
    least = when < least ? when : least;
  }
  return least > floor ? least : floor;
}

/* Column command for a ready bank: the data, and what follows from it. */
static void dram_give_column(struct mem *m, struct channel *c, int k, uint64_t t) {
  struct bank *b = &c->bank[k];
  uint16_t i = b->cur;
  struct entry *e = &c->e[i];
  uint32_t n = e->nread + e->nwrite;
  uint64_t x = column_at(m, c, k);
  uint64_t data = x + m->cl[e->write];
  m->st.dram_turns += e->write != c->dir;
  c->dir = e->write;
  c->batch++;
  pace_take(&c->bus, &m->burst, data, n);
  uint64_t end = c->bus.at + (c->bus.frac > 0);
  m->st.dram_read_sectors += e->nread;
  m->st.dram_write_sectors += e->nwrite;
  m->st.dram_busy += n * m->burst.step;
  for (m->busy_frac += n * m->burst.rem; m->busy_frac >= m->burst.den; m->st.dram_busy++) m->busy_frac -= m->burst.den;
  m->served++;
  uint64_t last = e->write ? end + m->wr : end - m->cl[0];
  b->pre_ok = b->act + m->ras > last ? b->act + m->ras : last;
  uint64_t there = ((end + 255) >> 8) + m->dram_latency;
  if (there < t) there = t; /* ready long before, but the bus was kept for writes: its data do not come before now */
  if (!e->write) push_fill(c, there, e->mshr, e->mask);
  b->cur = NIL;
  c->busy &= ~(1ull << k);
  c->ready &= ~(1ull << k);
  c->writing &= ~(1ull << k);
  bool writes_now = !--c->n[e->write] && !e->write; /* the last read has gone */
  e->next = c->free;
  c->free = i;
  writes_now |= begins_drain(m, c, t);
  dram_start_request(m, c, (uint32_t)k, x);
  if (writes_now) dram_start_writes(m, c, x);
  for (int h = 0; h < 2; h++) {
    for (uint64_t set = c->waiting[h]; set; set &= set - 1) l2_retry(m, (uint32_t)(64 * h + bit_low64(set)), t);
    c->waiting[h] = 0;
  }
}

/* The ready bank whose data are next on the bus; -1: none, or the bus waits for banks that open a row for the kind that
 * goes first. In service writes go on until there is none; so does a bank's write that its own reads wait for. */
static int next_column(const struct channel *c) {
  uint64_t w = c->ready & c->writing, r = c->ready & ~c->writing;
  bool writes = c->drain || (c->dir && c->writing) || w & c->any[0];
  bool opening = c->drain && !c->dir && c->writing & ~c->ready;
  if (writes && w && !(opening && r)) return dram_oldest_bank(c, w);
  if (r && !(writes && c->dir && c->writing)) return dram_oldest_bank(c, r);
  return w && !(c->busy & ~c->writing) ? dram_oldest_bank(c, w) : -1;
}

/* An activate at time x: the next one not before tRRD, and not before the fourth last one is tFAW ago. */
static void dram_activate(struct mem *m, struct channel *c, uint64_t x) {
  pace_take(&c->act, &m->rrd, x, 1);
  c->four[c->acts++ & 3] = x;
  uint64_t free = c->four[c->acts & 3] + m->faw;
  if (c->acts >= 4 && c->act.at < free) c->act = (struct pace){free, 0};
}

/* Gives all commands that can be given in cycle t. */
static void dram_give_commands(struct mem *m, struct channel *c, uint64_t t) {
  while (c->act_wait && pace_cycle(&c->act) <= t) {
    int k = oldest_due(m, c, t);
    if (k < 0) break;
    uint64_t x = c->when[k] > c->act.at ? c->when[k] : c->act.at;
    dram_activate(m, c, x);
    c->bank[k].act = x;
    c->when[k] = x + m->rcd;
    c->act_wait &= ~(1ull << k);
    c->turn[k] = NEVER;
    c->col_wait |= 1ull << k;
  }
  for (uint64_t set = c->col_wait; set; set &= set - 1) {
    uint64_t bit = set & -set;
    if (c->when[bit_low64(set)] >> 8 > t) continue;
    c->col_wait &= ~bit;
    c->ready |= bit;
  }
  uint64_t x, next = NEVER;
  for (int k; (k = next_column(c)) >= 0; dram_give_column(m, c, k, t))
    if ((next = column_at(m, c, k)) >> 8 > t) break;
    else next = NEVER;
  if (c->act_wait && (x = dram_soonest_bank(c, c->act_wait, c->act.at)) < next) next = x;
  if (c->col_wait && (x = dram_soonest_bank(c, c->col_wait, 0)) < next) next = x;
  c->next = next == NEVER ? NEVER : next >> 8;
}

void dram_run(struct mem *m, uint32_t ch, uint64_t t) {
  struct channel *c = &m->channel[ch];
  while (c->fill_n && c->fills[c->fill_head].at <= t) {
    struct fill f = c->fills[c->fill_head];
    c->fill_head = (c->fill_head + 1) & (c->fill_cap - 1);
    c->fill_n--;
    l2_fill(m, f.mshr, f.mask, t);
  }
  if (c->next <= t) dram_give_commands(m, c, t);
  uint64_t fill = c->fill_n ? c->fills[c->fill_head].at : NEVER;
  mem_event_at(m, ch, fill < c->next ? fill : c->next);
}
