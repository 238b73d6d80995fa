/* SPDX-License-Identifier: Apache-2.0 */
/* texture_set: tables of textures and samplers; references of a module by name. */
#include "exec/texture_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void texture_set_free(struct texture_set *s) {
  free(s->texture);
  free(s->sampler);
  free(s->sampler_used);
  *s = (struct texture_set){0};
}

uint32_t texture_set_add(struct texture_set *s, const struct texture *t) {
  uint32_t k = 0;
  while (k < s->ntexture && s->texture[k].levels) k++;
  if (k == s->ntexture) VEC_PUSH(s->texture, s->ntexture, s->captexture) = *t;
  else s->texture[k] = *t;
  return k;
}

uint32_t texture_set_sampler(struct texture_set *s, const struct tex_sampler *t) {
  uint32_t k = 0, n = s->nsampler;
  while (k < n && s->sampler_used[k]) k++;
  if (k == n) {
    VEC_PUSH(s->sampler_used, n, s->capused) = true;
    VEC_PUSH(s->sampler, s->nsampler, s->capsampler) = *t;
  }
  s->sampler_used[k] = true;
  s->sampler[k] = *t;
  return k;
}

bool texture_set_drop(struct texture_set *s, uint64_t handle) {
  const uint32_t k = handle_index(handle);
  switch (handle_kind(handle)) {
    case HANDLE_TEXTURE:
    case HANDLE_SURFACE:
      if (k >= s->ntexture || !s->texture[k].levels) return false;
      s->texture[k] = (struct texture){0};
      return true;
    case HANDLE_SAMPLER:
      if (k >= s->nsampler || !s->sampler_used[k]) return false;
      s->sampler_used[k] = false;
      return true;
    default: return false;
  }
}

struct textures texture_set_view(const struct texture_set *s, const uint64_t *ref, uint32_t nref) {
  return (struct textures){.texture = s->texture,
                           .sampler = s->sampler,
                           .ref = ref,
                           .ntexture = s->ntexture,
                           .nsampler = s->nsampler,
                           .nref = ref ? nref : 0};
}

const char *handle_name(enum handle_kind k) {
  return k == HANDLE_TEXTURE   ? "a texture"
         : k == HANDLE_SAMPLER ? "a sampler"
         : k == HANDLE_SURFACE ? "a surface"
                               : "a handle";
}

struct tex_sampler sampler_default(void) {
  return (struct tex_sampler){
      .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}, .filter = TEX_POINT, .mip = TEX_POINT, .lod_max = TEX_LEVELS};
}

void sampler_override(struct tex_sampler *s, const struct texref *r) {
  if (r->given & 1) s->normalized = r->normalized;
  if (r->given & 2) s->filter = r->filter;
  for (int k = 0; k < 3; k++)
    if (r->given & 4 << k) s->address[k] = r->address[k];
}

const struct texref *texref_find(const struct module *m, const char *name, uint32_t *index) {
  for (uint32_t k = 0; k < m->ntexref; k++)
    if (!strcmp(m->texref[k].name, name)) return *index = k, &m->texref[k];
  return NULL;
}

const struct texref *texref_unbound(const struct module *m, const struct code *c, const uint64_t *ref) {
  for (uint32_t k = 0; k < c->n; k++) {
    const struct insn *i = &c->insn[k];
    if (i->op != OP_TEX && i->op != OP_TLD4 && i->op != OP_TXQ && i->op != OP_SULD && i->op != OP_SUST) continue;
    for (unsigned n = 0; n < i->nsrc && n < 2; n++) {
      const uint32_t at = handle_index(i->src[n].imm);
      if (n == 1 && !((i->op == OP_TEX || i->op == OP_TLD4) && i->tex & TEX_SAMPLER)) break;
      if (i->src[n].kind != O_IMM || handle_kind(i->src[n].imm) != HANDLE_REF || at >= m->ntexref) continue;
      if (!ref || !ref[at]) return &m->texref[at];
    }
  }
  return NULL;
}
