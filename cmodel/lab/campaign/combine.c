/* SPDX-License-Identifier: Apache-2.0 */
/* combine: see combine.h. */
#include "lab/campaign/combine.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/similar.h"
#include "sm/slots.h"

/* ---- configurations of every system on every machine ---- */

enum { MACHINES = 32, BARE = -1 };
static const char *const first[] = {"common", "gtx980"}; /* machines on which most systems run come before the others */

struct world {
  unsigned nmachine, nsystem;
  const char *machine[MACHINES];
  const struct config_name *system;
  struct config *base, *of; /* of a machine; of[machine * nsystem + system] */
  const struct settings *own;
};

static void world_add_machine(struct world *w, const char *name) {
  for (unsigned i = 0; i < w->nmachine; i++)
    if (!strcmp(w->machine[i], name)) return;
  if (w->nmachine < MACHINES) w->machine[w->nmachine++] = name;
}

static void world_add_machines(struct world *w) {
  const struct config_name *known = config_machines();
  for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
    for (const struct config_name *m = known; m->name; m++)
      if (!strcmp(m->name, first[i])) world_add_machine(w, m->name);
  for (const struct config_name *m = known; m->name; m++) world_add_machine(w, m->name);
}

static void world_free(struct world *w) { free(w->base), free(w->of); }

static bool world_make(struct world *w, const struct settings *s, struct err *e) {
  *w = (struct world){.system = config_systems(), .own = s};
  if (s->machine) world_add_machine(w, s->machine);
  else world_add_machines(w);
  while (w->system[w->nsystem].name) w->nsystem++;
  w->base = xcalloc(w->nmachine, sizeof *w->base);
  w->of = xcalloc(w->nmachine * w->nsystem, sizeof *w->of);
  for (unsigned m = 0; m < w->nmachine; m++) {
    if (!config_load(&w->base[m], w->machine[m], "baseline", e)) return false;
    for (unsigned i = 0; i < s->nset; i++) { /* each is a legal value of a key */
      struct config tried = w->base[m];
      if (!config_set(&tried, s->set[i], s->set_arg[i], e)) return false;
    }
    for (unsigned i = 0; i < w->nsystem; i++)
      if (!config_load(&w->of[m * w->nsystem + i], w->machine[m], w->system[i].name, e)) return false;
  }
  return true;
}

static int slot_value(const struct config *c, const struct key *slot) {
  return *(const int *)(const void *)((const char *)c + slot->offset);
}
static bool is_slot(const struct key *k) { return !strcmp(k->section, "slot"); }

/* ---- the settings of choices, put together ---- */

struct thing {                         /* to be combined */
  const struct combine_choice *choice; /* in any way that fits; NULL: a system as it is */
  int system;
};
struct part { /* one way to have it: what a system sets, or (BARE) the choice alone */
  const struct combine_choice *choice;
  int system;
};
struct found {
  bool legal;
  unsigned machine, distance;
  struct part a, b;
  struct config cfg;
};

static const struct config *world_config(const struct world *w, unsigned m, int system) {
  return system == BARE ? &w->base[m] : &w->of[m * w->nsystem + (unsigned)system];
}

static void combine_put_part(const struct world *w, unsigned m, const struct part *p, struct config *c) {
  const struct config *base = &w->base[m], *of = world_config(w, m, p->system);
  for (unsigned i = 0; i < config_nkeys; i++)
    if (!key_same(of, base, &config_keys[i])) key_copy(c, of, &config_keys[i]);
}
static void combine_put_choice(const struct part *p, struct config *c) {
  if (p->choice) *(int *)(void *)((char *)c + p->choice->slot->offset) = p->choice->value;
}

/* False and *e: a run refuses it. What choices refuse in each other comes before what the rules between keys say. */
static bool combine_join_parts(const struct world *w, unsigned m, const struct part *a, const struct part *b,
                               struct config *c, struct err *e) {
  struct slots slots;
  *c = w->base[m];
  combine_put_part(w, m, a, c);
  combine_put_part(w, m, b, c);
  combine_put_choice(a, c);
  combine_put_choice(b, c);
  for (unsigned i = 0; i < w->own->nset; i++)
    if (!config_set(c, w->own->set[i], w->own->set_arg[i], e)) return false;
  return slots_pick(c, &slots, e) && config_check(c, e);
}

static bool combine_is_slot_asked(const struct key *slot, const struct part *a, const struct part *b) {
  return (a->choice && a->choice->slot == slot) || (b->choice && b->choice->slot == slot);
}

/* How far it is from the machine as it is: other slots that are filled, then keys. */
static unsigned combine_distance(const struct config *c, const struct config *base, const struct part *a,
                                 const struct part *b) {
  unsigned n = 0;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    if (!combine_is_slot_asked(k, a, b) && !key_same(c, base, k)) n += is_slot(k) ? 1000 : 1;
  }
  return n;
}

/* The next way to have a thing on a machine: alone, then by each system that has it. False: there are no more. */
static bool combine_next_way(const struct world *w, unsigned m, const struct thing *x, int *system) {
  if (!x->choice) return false;
  for (++*system; *system < (int)w->nsystem; ++*system)
    if (slot_value(world_config(w, m, *system), x->choice->slot) == x->choice->value) return true;
  return false;
}

/* The nearest way to have both on a machine; x == y: one alone. */
static bool combine_find_nearest(const struct world *w, unsigned m, const struct thing *x, const struct thing *y,
                                 struct found *f) {
  *f = (struct found){.machine = m, .distance = UINT32_MAX};
  int i = x->system;
  do {
    int j = x == y ? i : y->system;
    do {
      const struct part a = {x->choice, i}, b = {y->choice, j};
      struct config c;
      struct err e = {0};
      if (!combine_join_parts(w, m, &a, &b, &c, &e)) continue;
      const unsigned n = combine_distance(&c, &w->base[m], &a, &b);
      if (!f->legal || n < f->distance) *f = (struct found){true, m, n, a, b, c};
    } while (x != y && combine_next_way(w, m, y, &j));
  } while (combine_next_way(w, m, x, &i));
  return f->legal;
}

/* ---- what is said of it ---- */

/* " --set k=v" for what differs; returns how many do. */
static unsigned combine_settings_text(const struct config *c, const struct config *from, char *text, size_t size) {
  unsigned n = 0;
  size_t at = 0;
  text[0] = 0;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char value[KEY_TEXT];
    if (key_same(c, from, k)) continue;
    n++;
    key_print(c, k, value, sizeof value);
    if (at < size) at += (size_t)snprintf(text + at, size - at, " --set %s.%s=%s", k->section, k->name, value);
  }
  return n;
}

/* From the machine, or from one of the systems, whichever leaves less to set. */
static void combine_fill_command(const struct world *w, const struct found *f, struct combination *out) {
  const int from[] = {BARE, f->a.system, f->b.system};
  unsigned best = UINT32_MAX;
  for (unsigned i = 0; i < 3; i++) {
    char text[sizeof out->command - 160];
    const bool bare = from[i] == BARE;
    const unsigned n = combine_settings_text(&f->cfg, world_config(w, f->machine, from[i]), text, sizeof text);
    if (n >= best) continue;
    best = n;
    snprintf(out->command, sizeof out->command, "--config %s%s%s%s", w->machine[f->machine], bare ? "" : " --system ",
             bare ? "" : w->system[from[i]].name, text);
  }
}

/* The part fills this slot, or is its choice. */
static bool combine_part_fills(const struct world *w, unsigned m, const struct part *p, const struct key *slot) {
  return p->choice ? p->choice->slot == slot : !key_same(world_config(w, m, p->system), &w->base[m], slot);
}

static void combine_fill_brought(const struct world *w, const struct found *f, struct combination *out) {
  size_t at = 0;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char value[KEY_TEXT];
    if (!is_slot(k) || key_same(&f->cfg, &w->base[f->machine], k)) continue;
    if (combine_part_fills(w, f->machine, &f->a, k) || combine_part_fills(w, f->machine, &f->b, k)) continue;
    key_print(&f->cfg, k, value, sizeof value);
    at += (size_t)snprintf(out->brought + at, sizeof out->brought - at, "%sslot.%s=%s", at ? " and " : "", k->name,
                           value);
    if (at >= sizeof out->brought) return;
  }
}

static void combine_take_found(const struct world *w, const struct found *f, struct combination *out) {
  out->legal = true;
  out->cfg = f->cfg;
  combine_fill_brought(w, f, out);
  combine_fill_command(w, f, out);
}

/* The way to have it that is nearest to the machine as it is, whether it fits or not; not the choice alone, if there is a system. */
static struct part combine_usual_part(const struct world *w, unsigned m, const struct thing *x) {
  struct part best = {x->choice, x->system};
  unsigned least = UINT32_MAX;
  for (int i = x->system; combine_next_way(w, m, x, &i);) {
    const struct part p = {x->choice, i};
    const unsigned n = combine_distance(world_config(w, m, i), &w->base[m], &p, &p);
    if (n < least) least = n, best = p;
  }
  return best;
}

/* Why they do not fit on a machine, as each fits there alone, or else as it usually is. */
static void combine_find_reason(const struct world *w, unsigned m, const struct thing *x, const struct thing *y,
                                struct err *e) {
  struct found f;
  struct config c;
  const struct part a = combine_find_nearest(w, m, x, x, &f) ? f.a : combine_usual_part(w, m, x),
                    b = combine_find_nearest(w, m, y, y, &f) ? f.a : combine_usual_part(w, m, y);
  combine_join_parts(w, m, &a, &b, &c, e);
}

/* Of the first machine on which it is another slot's choice that is wrong; else of the first machine. */
static void combine_refuse(const struct world *w, const struct thing *x, const struct thing *y,
                           struct combination *out) {
  struct err e = {0};
  combine_find_reason(w, 0, x, y, &e);
  for (unsigned m = 1; m < w->nmachine && !strstr(e.text, ", expected slot."); m++) {
    struct err other = {0};
    combine_find_reason(w, m, x, y, &other);
    if (strstr(other.text, ", expected slot.")) e = other;
  }
  snprintf(out->why, sizeof out->why, "%s", strncmp(e.text, "configuration: ", 15) ? e.text : e.text + 15);
}

static void combine_things(const struct world *w, const struct thing *x, const struct thing *y,
                           struct combination *out) {
  struct found f = {0};
  for (unsigned m = 0; m < w->nmachine && !f.legal; m++) combine_find_nearest(w, m, x, y, &f);
  if (!f.legal) {
    combine_refuse(w, x, y, out);
    return;
  }
  struct found one;
  combine_take_found(w, &f, out);
  if (combine_find_nearest(w, f.machine, x, x, &one)) out->alone[0] = one.cfg;
  if (combine_find_nearest(w, f.machine, y, y, &one)) out->alone[1] = one.cfg;
}

static void combine_list_choices(struct combine *c) {
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    struct combine_choice x = {.slot = k};
    for (unsigned n = 0; is_slot(k) && key_value(k, n, &x.value, x.name, sizeof x.name); n++)
      if (strcmp(x.name, k->enum_def)) VEC_PUSH(c->choice, c->n, c->choices_cap) = x;
  }
}

bool combine_all(struct combine *c, const struct settings *s, struct err *e) {
  struct world w;
  *c = (struct combine){0};
  bool ok = world_make(&w, s, e);
  combine_list_choices(c);
  c->of = xcalloc(c->n * c->n, sizeof *c->of);
  for (unsigned a = 0; ok && a < c->n; a++)
    for (unsigned b = a + 1; b < c->n; b++) {
      const struct thing x = {&c->choice[a], BARE}, y = {&c->choice[b], BARE};
      struct combination *out = &c->of[combine_at(c, a, b)];
      out->a = a, out->b = b;
      if (combine_asked(c, a, b)) combine_things(&w, &x, &y, out);
    }
  world_free(&w);
  if (!ok) combine_free(c);
  return ok;
}

void combine_free(struct combine *c) {
  free(c->choice), free(c->of);
  *c = (struct combine){0};
}

/* ---- two by name ---- */

static bool combine_find_thing(const struct world *w, const struct combine *all, const char *name, struct thing *out,
                               struct err *e) {
  *out = (struct thing){NULL, BARE};
  for (unsigned i = 0; i < w->nsystem; i++)
    if (!strcasecmp(w->system[i].name, name)) out->system = (int)i;
  for (unsigned i = 0; i < all->n && out->system == BARE; i++)
    if (!strcmp(all->choice[i].name, name)) out->choice = &all->choice[i];
  if (out->choice || out->system != BARE) return true;
  struct similar s;
  char near[400];
  similar_begin(&s, name);
  for (unsigned i = 0; i < w->nsystem; i++) similar_offer(&s, w->system[i].name);
  for (unsigned i = 0; i < all->n; i++) similar_offer(&s, all->choice[i].name);
  similar_ask_or(&s,
                 ", expected a system of 'regtwin list systems', or a choice of a slot that 'regtwin combine' lists",
                 near, sizeof near);
  return err_at(e, NULL, 0, 0, "found '%.60s'%s", name, near);
}

/* False and *e: both fill a slot, and differently. */
static bool combine_check_slots(const struct world *w, const struct thing *x, const struct thing *y,
                                const char *const name[2], struct err *e) {
  const struct part a = {x->choice, x->system}, b = {y->choice, y->system}, *const part[] = {&a, &b};
  struct config of[2];
  char text[2][KEY_TEXT];
  for (unsigned i = 0; i < 2; i++) {
    of[i] = w->base[0];
    combine_put_part(w, 0, part[i], &of[i]);
    combine_put_choice(part[i], &of[i]);
  }
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    if (!is_slot(k) || key_same(&of[0], &of[1], k) || key_same(&of[0], w->base, k) || key_same(&of[1], w->base, k))
      continue;
    for (unsigned n = 0; n < 2; n++) key_print(&of[n], k, text[n], sizeof text[n]);
    return err_at(e, NULL, 0, 0, "slot.%s: found %s for '%.60s' and %s for '%.60s', expected one choice for a slot",
                  k->name, text[0], name[0], text[1], name[1]);
  }
  return true;
}

bool combine_pair(const char *const name[2], const struct settings *s, struct combination *out, struct err *e) {
  struct world w;
  struct combine all = {0};
  struct thing x, y;
  *out = (struct combination){0};
  combine_list_choices(&all);
  const bool ok = world_make(&w, s, e) && combine_find_thing(&w, &all, name[0], &x, e) &&
                  combine_find_thing(&w, &all, name[1], &y, e) && combine_check_slots(&w, &x, &y, name, e);
  if (ok) combine_things(&w, &x, &y, out);
  world_free(&w);
  combine_free(&all);
  return ok;
}
