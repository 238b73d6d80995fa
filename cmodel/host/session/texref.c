/* SPDX-License-Identifier: Apache-2.0 */
/* texref: what the .texref, .samplerref and .surfref variables of a session's modules name. */
#include <stdlib.h>

#include "host/session/session.h"

void refs_begin(struct device_module *m) {
  m->ref = xcalloc(m->m->ntexref + 1u, sizeof *m->ref);
  for (uint32_t k = 0; k < m->m->ntexref; k++) {
    if (m->m->texref[k].kind != HANDLE_SAMPLER || !m->m->texref[k].given) continue;
    struct tex_sampler s = sampler_default();
    sampler_override(&s, &m->m->texref[k]);
    m->ref[k] = handle_of(HANDLE_SAMPLER, texture_set_sampler(&m->d->textures, &s));
  }
}

void refs_end(struct device_module *m) {
  free(m->ref);
  m->ref = NULL;
}

const struct texref *device_find_ref(const struct device_module *m, const char *name) {
  uint32_t k;
  return texref_find(m->m, name, &k);
}

enum device_status device_bind(struct device_module *m, const char *name, uint64_t h, struct err *e) {
  uint32_t k;
  const struct texref *r = texref_find(m->m, name, &k);
  if (!r)
    return device_status_of(err_at(e, m->m->file, 0, 0,
                                   "found the name '%.80s', expected a .texref, .samplerref or .surfref of the module",
                                   name));
  if (h && handle_kind(h) != (enum handle_kind)r->kind)
    return device_status_of(err_at(e, m->m->file, (int)r->line, (int)r->col,
                                   "found the handle 0x%llx for '%.80s', expected one of %s", (unsigned long long)h,
                                   name, handle_name(r->kind)));
  m->ref[k] = h;
  return DEVICE_OK;
}

enum device_status refs_bound(const struct device_kernel *k, struct err *e) {
  const struct texref *r = k->of->m->ntexref ? texref_unbound(k->of->m, k->code, k->of->ref) : NULL;
  return device_status_of(!r || err_at(e, k->of->m->file, (int)r->line, (int)r->col,
                                       "found nothing that is bound to '%.80s', expected %s: kernel '%.80s' uses it",
                                       r->name, handle_name(r->kind), k->name));
}
