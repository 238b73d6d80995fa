/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_set: the textures and samplers of a launch file's run or of a session, by the numbers that their handles have
 * (compiler/ir/texture.h), and what is bound to a module's references.
 */
#ifndef RT_EXEC_TEXTURE_SET_H
#define RT_EXEC_TEXTURE_SET_H

#include "exec/texture.h"
#include "compiler/ir/code.h"

struct texture_set {
  struct texture *texture;     /* a freed number has levels 0 */
  struct tex_sampler *sampler; /* by number; sampler_used: it is not free */
  bool *sampler_used;
  uint32_t ntexture, captexture, nsampler, capsampler, capused;
};
void texture_set_free(struct texture_set *s);
/* The texture's lowest free number; it is copied (its name is not), and may be changed in place. */
uint32_t texture_set_add(struct texture_set *s, const struct texture *t);
uint32_t texture_set_sampler(struct texture_set *s, const struct tex_sampler *t);
/* Frees what the handle names; of a texture and a surface, the number. False: it names nothing. */
bool texture_set_drop(struct texture_set *s, uint64_t handle);
/* What a launch gets: ref by number of module.texref, of nref, or NULL. Valid until the set changes. */
struct textures texture_set_view(const struct texture_set *s, const uint64_t *ref, uint32_t nref);

const char *handle_name(enum handle_kind k); /* "a texture", "a sampler", "a surface" */
/* A sampler as a reference without an initialiser has it: point, clamp, coordinates in texels. */
struct tex_sampler sampler_default(void);
/* Sets the properties that the reference's initialiser gives. */
void sampler_override(struct tex_sampler *s, const struct texref *r);

/* The module's reference of this name; NULL: it has none. *index: its number. */
const struct texref *texref_find(const struct module *m, const char *name, uint32_t *index);
/* A reference that an instruction of the kernel names as a symbol and that is not bound; NULL: there is none. */
const struct texref *texref_unbound(const struct module *m, const struct code *c, const uint64_t *ref);

#endif
