/* SPDX-License-Identifier: Apache-2.0 */
/* config: machines and systems by name or path, --set, and the rules between keys. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/yaml.h"
#include "config/builtin.h"
#include "config/keys.h"

/* A name with a slash or a .conf ending is a path, - standard input; every other one is built in. */
static bool is_path(const char *name) {
  size_t n = strlen(name);
  return !strcmp(name, "-") || strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".conf"));
}

/* "gtx980" out of "/tmp/gtx980.conf". */
static void base_name(const char *path, char *buf, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(buf, size, "%s", slash ? slash + 1 : path);
  size_t n = strlen(buf);
  if (n > 5 && !strcmp(buf + n - 5, ".conf")) buf[n - 5] = 0;
}

static bool load(struct config *c, const char *name, const struct builtin *table, const char *kind, char *label,
                 size_t label_size, struct err *e) {
  struct config tried = *c; /* a file with an error changes nothing */
  char found[64];
  if (is_path(name)) {
    size_t n = 0;
    char *text = yaml_slurp(name, &n, "a configuration", e);
    if (!text) return false;
    bool ok = config_text(&tried, name, text, n, e);
    free(text);
    if (!ok) return false;
    base_name(name, found, sizeof found);
  } else {
    const struct builtin *b = table;
    while (b->name && strcasecmp(b->name, name)) b++;
    if (!b->name) {
      char known[512] = "";
      size_t at = 0;
      for (const struct builtin *k = table; k->name && at < sizeof known; k++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", k->name);
      return err_at(e, NULL, 0, 0, "found unknown %s '%.60s', expected %s or the path of a .conf file", kind, name,
                    known);
    }
    char file[128];
    snprintf(file, sizeof file, "%ss/%s.conf", kind, b->name);
    if (!config_text(&tried, file, b->text, strlen(b->text), e)) return false;
    snprintf(found, sizeof found, "%s", b->name);
  }
  *c = tried;
  snprintf(label, label_size, "%s", found);
  return true;
}

bool config_machine(struct config *c, const char *name, struct err *e) {
  return load(c, name, builtin_machines, "machine", c->machine, sizeof c->machine, e);
}

bool config_system(struct config *c, const char *name, struct err *e) {
  return load(c, name, builtin_systems, "system", c->system, sizeof c->system, e);
}

bool config_set(struct config *c, const char *assignment, int arg, struct err *e) {
  char where[64], section[64], name[64], near[128];
  snprintf(where, sizeof where, "argument %d", arg);
  struct place at = {where, 0, 0};
  const char *eq = strchr(assignment, '='), *dot = strchr(assignment, '.');
  if (!eq || !dot || dot > eq || dot == assignment || eq == dot + 1)
    return err_at(e, where, 0, 0, "found --set '%.60s', expected --set section.key=value", assignment);
  snprintf(section, sizeof section, "%.*s", (int)(dot - assignment < 60 ? dot - assignment : 60), assignment);
  snprintf(name, sizeof name, "%.*s", (int)(eq - dot - 1 < 60 ? eq - dot - 1 : 60), dot + 1);
  if (!key_section(section)) {
    key_suggest_section(section, near, sizeof near);
    return err_at(e, where, 0, 0, "found unknown section '%s'%s", section,
                  near[0] ? near : ", expected one that 'regtwin config --explain' lists");
  }
  const struct key *k = key_find(section, name);
  if (!k) {
    key_suggest(section, name, near, sizeof near);
    return err_at(e, where, 0, 0, "found unknown key '%s' in section '%s'%s", name, section,
                  near[0] ? near : ", expected one that 'regtwin config --explain' lists");
  }
  if (!key_set(c, k, eq + 1, &at, e)) return false;
  key_origin(k, "--set", NULL, 0);
  return true;
}

static bool rule(bool holds, struct err *e, const char *what) {
  return holds || err_at(e, NULL, 0, 0, "configuration: %s", what);
}

bool config_check(const struct config *c, struct err *e) {
  const int64_t line = 128, s = c->sm_schedulers;
  char t[256];
#define RULE(holds, ...) (snprintf(t, sizeof t, __VA_ARGS__), rule(holds, e, t))
#define LL(x) ((long long)(x))
  return RULE(c->gpu_quantum <= c->noc_latency,
              "found gpu.quantum %lld above noc.latency %lld, expected at most the latency (or 0 for it)",
              LL(c->gpu_quantum), LL(c->noc_latency)) &&
         RULE(c->sm_warps >= s, "found sm.warps %lld below sm.schedulers %lld, expected a warp for each",
              LL(c->sm_warps), LL(s)) &&
         RULE(c->sm_warps % s == 0, "found sm.warps %lld, expected a multiple of sm.schedulers %lld", LL(c->sm_warps),
              LL(s)) &&
         RULE(c->sm_active_warps <= c->sm_warps, "found sm.active_warps %lld above sm.warps %lld",
              LL(c->sm_active_warps), LL(c->sm_warps)) &&
         RULE(c->slot_scheduler != SCH_TWO_LEVEL || c->sm_active_warps >= s,
              "found sm.active_warps %lld below sm.schedulers %lld, expected one for each with two_level",
              LL(c->sm_active_warps), LL(s)) &&
         RULE(!c->sm_subcores || c->rf_banks % s == 0,
              "found rf.banks %lld, expected a multiple of sm.schedulers %lld, since sm.subcores is true",
              LL(c->rf_banks), LL(s)) &&
         RULE(!c->sm_subcores || c->collector_units % s == 0,
              "found collector.units %lld, expected a multiple of sm.schedulers %lld, since sm.subcores is "
              "true",
              LL(c->collector_units), LL(s)) &&
         RULE(c->rf_bytes % (c->rf_banks * line) == 0,
              "found rf.bytes %lld, expected a multiple of rf.banks x 128 = %lld", LL(c->rf_bytes),
              LL(c->rf_banks * line)) &&
         RULE(c->l1_sector == 0 || c->l1_sector == 32, "found l1.sector %lld, expected 0 (whole lines) or 32",
              LL(c->l1_sector)) &&
         RULE(c->l1_bytes % (c->l1_ways * line) == 0,
              "found l1.bytes %lld, expected a multiple of l1.ways x 128 = %lld", LL(c->l1_bytes),
              LL(c->l1_ways * line)) &&
         RULE(c->icache_bytes % (c->icache_ways * line) == 0,
              "found icache.bytes %lld, expected a multiple of icache.ways x 128 = %lld", LL(c->icache_bytes),
              LL(c->icache_ways * line)) &&
         RULE(c->l2_bytes / c->gpu_sms >= c->l2_ways * line,
              "found l2.bytes %lld, expected at least gpu.sms x l2.ways x 128 = %lld, so that one SM's share "
              "has a set",
              LL(c->l2_bytes), LL(c->gpu_sms * c->l2_ways * line)) &&
         RULE(c->slot_residency != RES_FINEREG || c->finereg_acrf_bytes % line == 0,
              "found finereg.acrf_bytes %lld, expected whole registers of 128 bytes", LL(c->finereg_acrf_bytes)) &&
         RULE(c->slot_residency != RES_FINEREG || c->finereg_pcrf_bytes % line == 0,
              "found finereg.pcrf_bytes %lld, expected whole registers of 128 bytes", LL(c->finereg_pcrf_bytes)) &&
         RULE(c->slot_residency != RES_FINEREG || c->finereg_acrf_bytes + c->finereg_pcrf_bytes <= c->rf_bytes,
              "found finereg.acrf_bytes + finereg.pcrf_bytes = %lld, expected at most rf.bytes %lld: they are its two "
              "parts",
              LL(c->finereg_acrf_bytes + c->finereg_pcrf_bytes), LL(c->rf_bytes)) &&
         RULE((c->finereg_lrvc_entries & (c->finereg_lrvc_entries - 1)) == 0,
              "found finereg.lrvc_entries %lld, expected a power of two", LL(c->finereg_lrvc_entries)) &&
         RULE((c->slot_residency != RES_VT && c->slot_residency != RES_FINEREG) || c->residency_warps >= c->sm_warps,
              "found residency.warps %lld below sm.warps %lld, expected at least those that may issue",
              LL(c->residency_warps), LL(c->sm_warps)) &&
         RULE((c->slot_residency != RES_VT && c->slot_residency != RES_FINEREG) || c->residency_ctas >= c->sm_ctas,
              "found residency.ctas %lld below sm.ctas %lld, expected at least those that may issue",
              LL(c->residency_ctas), LL(c->sm_ctas)) &&
         RULE(c->compile_narrow == NARROW_NONE || c->slot_storage == STO_SLICES,
              "found compile.narrow without slot.storage slices, expected it: no other file holds narrow operands") &&
         RULE(c->dram_ras_ps <= c->dram_rc_ps, "found dram.ras_ps %lld above dram.rc_ps %lld", LL(c->dram_ras_ps),
              LL(c->dram_rc_ps)) &&
         RULE(c->dram_rcd_ps <= c->dram_ras_ps, "found dram.rcd_ps %lld above dram.ras_ps %lld", LL(c->dram_rcd_ps),
              LL(c->dram_ras_ps));
#undef RULE
#undef LL
}
