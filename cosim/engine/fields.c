/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: reads the debug information that the compiler left in this program. Only types are read: structs, their members, arrays,
 * typedefs. Whatever is not understood ends in "no information", and the caller reports a byte's number.
 */
#include "fields.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { /* of DWARF */
       TAG_ARRAY = 0x01,
       TAG_ENUM = 0x04,
       TAG_MEMBER = 0x0d,
       TAG_POINTER = 0x0f,
       TAG_STRUCT = 0x13,
       TAG_TYPEDEF = 0x16,
       TAG_UNION = 0x17,
       TAG_SUBRANGE = 0x21,
       TAG_BASE = 0x24,
       TAG_CONST = 0x26,
       TAG_VOLATILE = 0x35,
       AT_NAME = 0x03,
       AT_SIZE = 0x0b,
       AT_UPPER = 0x2f,
       AT_COUNT = 0x37,
       AT_PLACE = 0x38,
       AT_TYPE = 0x49,
       ABBREVS = 4096,
       DIMENSIONS = 8
};

struct section {
  const uint8_t *at, *end;
};
static struct section info, abbrev, strings, line_strings;

struct dwarf_unit {
  const uint8_t *head, *end; /* of its header; past its last entry */
  unsigned version, address;
  const uint8_t *of[ABBREVS]; /* by code: the tag, and so on */
};
static struct dwarf_unit dwarf;

struct entry {
  uint64_t tag, size, place, type, count; /* type: offset in the unit, 0: none */
  const char *name;
  const uint8_t *next;
  bool children;
};

/* Reads n bytes. */
static uint64_t dwarf_fixed(const uint8_t **p, unsigned n) {
  uint64_t v = 0;
  for (unsigned i = 0; i < n; i++) v |= (uint64_t)(*p)[i] << 8 * i;
  *p += n;
  return v;
}

/* Reads a number of variable length (LEB128). */
static uint64_t dwarf_leb(const uint8_t **p, bool is_signed) {
  uint64_t v = 0;
  unsigned shift = 0;
  uint8_t b;
  do {
    b = *(*p)++;
    if (shift < 64) v |= (uint64_t)(b & 0x7f) << shift;
    shift += 7;
  } while (b & 0x80);
  if (is_signed && shift < 64 && b & 0x40) v |= ~UINT64_C(0) << shift;
  return v;
}

static const char *dwarf_text(const struct section *s, uint64_t offset) {
  return s->at && offset < (uint64_t)(s->end - s->at) ? (const char *)s->at + offset : NULL;
}

/* Reads an attribute's value. False: a form that is not known. */
static bool dwarf_value(const uint8_t **p, uint64_t form, uint64_t implicit, uint64_t *v, const char **text) {
  uint64_t skip = 0;
  *text = NULL;
  switch (form) {
    case 0x01: *v = dwarf_fixed(p, dwarf.address); return true;
    case 0x03: skip = dwarf_fixed(p, 2); break;
    case 0x04: skip = dwarf_fixed(p, 4); break;
    case 0x09:
    case 0x18: skip = dwarf_leb(p, false); break;
    case 0x0a: skip = dwarf_fixed(p, 1); break;
    case 0x1e: skip = 16; break;
    case 0x08: *text = (const char *)*p, *p += strlen(*text) + 1; return true;
    case 0x05:
    case 0x12: *v = dwarf_fixed(p, 2); return true;
    case 0x06:
    case 0x10:
    case 0x13:
    case 0x17: *v = dwarf_fixed(p, 4); return true;
    case 0x07:
    case 0x14:
    case 0x20: *v = dwarf_fixed(p, 8); return true;
    case 0x0b:
    case 0x0c:
    case 0x11: *v = dwarf_fixed(p, 1); return true;
    case 0x0d: *v = dwarf_leb(p, true); return true;
    case 0x0f:
    case 0x15:
    case 0x22:
    case 0x23: *v = dwarf_leb(p, false); return true;
    case 0x0e: *text = dwarf_text(&strings, dwarf_fixed(p, 4)); return true;
    case 0x1f: *text = dwarf_text(&line_strings, dwarf_fixed(p, 4)); return true;
    case 0x19: *v = 1; return true;
    case 0x21: *v = implicit; return true;
    default: return false;
  }
  if (skip > (uint64_t)(dwarf.end - *p)) return false;
  *p += skip;
  return true;
}

/* Reads the entry at p; false: past the end, an entry that is not understood, or (tag 0) the end of a list of children. */
static bool dwarf_entry(const uint8_t *p, struct entry *e) {
  *e = (struct entry){0};
  if (p >= dwarf.end) return false;
  const uint64_t code = dwarf_leb(&p, false);
  e->next = p;
  if (!code || code >= ABBREVS || !dwarf.of[code]) return !code;
  const uint8_t *a = dwarf.of[code];
  e->tag = dwarf_leb(&a, false);
  e->children = *a++;
  for (;;) {
    uint64_t v = 0;
    const uint64_t name = dwarf_leb(&a, false), form = dwarf_leb(&a, false);
    const uint64_t implicit = form == 0x21 ? dwarf_leb(&a, true) : 0;
    const char *text;
    if (!name && !form) break;
    if (!dwarf_value(&p, form, implicit, &v, &text) || p > dwarf.end) return false;
    if (name == AT_NAME) e->name = text;
    if (name == AT_SIZE) e->size = v;
    if (name == AT_PLACE) e->place = v;
    if (name == AT_TYPE) e->type = v;
    if (name == AT_UPPER) e->count = v + 1;
    if (name == AT_COUNT) e->count = v;
  }
  e->next = p;
  return true;
}

/* The entry after this one and its children. */
static const uint8_t *dwarf_sibling(const struct entry *e) {
  const uint8_t *p = e->next;
  struct entry child;
  if (!e->children) return p;
  while (dwarf_entry(p, &child)) {
    if (!child.tag) return child.next;
    p = dwarf_sibling(&child);
    if (!p) break;
  }
  return NULL;
}

/* Reads a type, without the names and qualifiers that stand before it. */
static bool dwarf_type(uint64_t offset, struct entry *t) {
  for (unsigned k = 0; k < 16 && offset; k++) {
    if (!dwarf_entry(dwarf.head + offset, t)) return false;
    if (t->tag != TAG_TYPEDEF && t->tag != TAG_CONST && t->tag != TAG_VOLATILE) return true;
    offset = t->type;
  }
  return false;
}

/* The lengths of an array; returns how many dimensions it has. */
static unsigned dwarf_lengths(const struct entry *array, uint64_t n[static DIMENSIONS]) {
  unsigned dimensions = 0;
  struct entry child;
  for (const uint8_t *p = array->children ? array->next : NULL; p && dwarf_entry(p, &child) && child.tag;
       p = dwarf_sibling(&child))
    if (child.tag == TAG_SUBRANGE && dimensions < DIMENSIONS) n[dimensions++] = child.count;
  return dimensions;
}

static uint64_t dwarf_size(const struct entry *t) {
  uint64_t n[DIMENSIONS], size;
  struct entry of;
  if (t->tag != TAG_ARRAY) return t->tag == TAG_POINTER ? dwarf.address : t->size;
  if (!dwarf_type(t->type, &of)) return 0;
  size = dwarf_size(&of);
  for (unsigned k = dwarf_lengths(t, n); k--;) size *= n[k];
  return size;
}

/* The member that covers a byte; *byte becomes the byte in it. */
static bool dwarf_member(const struct entry *of, size_t *byte, struct entry *member, struct entry *type) {
  for (const uint8_t *p = of->children ? of->next : NULL; p && dwarf_entry(p, member) && member->tag;
       p = dwarf_sibling(member)) {
    if (member->tag != TAG_MEMBER || member->place > *byte || !dwarf_type(member->type, type)) continue;
    if (*byte - member->place >= dwarf_size(type)) continue;
    *byte -= member->place;
    return true;
  }
  return false;
}

/* Writes the path from a struct to the member that covers a byte. */
static void dwarf_describe(const struct entry *outer, size_t byte, char text[static FIELD_NAME]) {
  struct entry of = *outer, member, type;
  size_t at = 0;
  text[0] = 0;
#define SAY(...) at += (size_t)snprintf(text + at, FIELD_NAME - at, __VA_ARGS__)
  while (at < FIELD_NAME - 40 && (of.tag == TAG_STRUCT || of.tag == TAG_UNION) &&
         dwarf_member(&of, &byte, &member, &type)) {
    if (member.name) SAY("%s%.40s", at ? "." : "", member.name);
    while (type.tag == TAG_ARRAY && at < FIELD_NAME - 40) {
      uint64_t n[DIMENSIONS], part = dwarf_size(&type);
      struct entry element;
      const unsigned dimensions = dwarf_lengths(&type, n);
      if (!dwarf_type(type.type, &element)) return;
      for (unsigned k = 0; k < dimensions && n[k] && part >= n[k] && at < FIELD_NAME - 40; k++) {
        part /= n[k];
        SAY("[%zu]", (size_t)(byte / part));
        byte %= part;
      }
      type = element;
    }
    of = type;
  }
#undef SAY
}

/* Maps the program and finds its sections, once. */
static bool dwarf_open(void) {
  static bool tried;
  struct stat st;
  if (tried) return info.at != NULL;
  tried = true;
  const int f = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (f < 0) return false;
  const size_t size = fstat(f, &st) ? 0 : (size_t)st.st_size;
  const uint8_t *file = size < sizeof(Elf64_Ehdr) ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, f, 0);
  close(f);
  if (file == MAP_FAILED) return false;
  const Elf64_Ehdr *head = (const void *)file;
  if (memcmp(file, ELFMAG, SELFMAG) || file[EI_CLASS] != ELFCLASS64 || file[EI_DATA] != ELFDATA2LSB) return false;
  if (!head->e_shoff || head->e_shoff > size || head->e_shstrndx >= head->e_shnum ||
      head->e_shnum > (size - head->e_shoff) / sizeof(Elf64_Shdr))
    return false;
  const Elf64_Shdr *section = (const void *)(file + head->e_shoff), *names = &section[head->e_shstrndx];
  for (unsigned k = 0; k < head->e_shnum; k++) {
    const Elf64_Shdr *s = &section[k];
    if (s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_offset > size ||
        s->sh_size > size - s->sh_offset)
      continue;
    const char *name = (const char *)file + names->sh_offset + s->sh_name;
    const struct section is = {file + s->sh_offset, file + s->sh_offset + s->sh_size};
    if (!strcmp(name, ".debug_info")) info = is;
    if (!strcmp(name, ".debug_abbrev")) abbrev = is;
    if (!strcmp(name, ".debug_str")) strings = is;
    if (!strcmp(name, ".debug_line_str")) line_strings = is;
  }
  if (!abbrev.at) info.at = NULL;
  return info.at != NULL;
}

static void dwarf_abbrevs(uint64_t offset) {
  memset(dwarf.of, 0, sizeof dwarf.of);
  const uint8_t *p = abbrev.at + offset;
  while (p < abbrev.end) {
    const uint64_t code = dwarf_leb(&p, false);
    if (!code) return;
    if (code < ABBREVS) dwarf.of[code] = p;
    dwarf_leb(&p, false);
    p++;
    for (uint64_t name, form; p < abbrev.end;) {
      name = dwarf_leb(&p, false), form = dwarf_leb(&p, false);
      if (form == 0x21) dwarf_leb(&p, true);
      if (!name && !form) break;
    }
  }
}

/* Reads the header of a dwarf. Returns its first entry, or NULL if it is of another kind. */
static const uint8_t *dwarf_begin_unit(const uint8_t *p) {
  dwarf.head = p;
  const uint64_t length = dwarf_fixed(&p, 4);
  if (length >= 0xfffffff0 || length > (uint64_t)(info.end - p)) return dwarf.end = info.end, NULL;
  dwarf.end = p + length;
  dwarf.version = (unsigned)dwarf_fixed(&p, 2);
  uint64_t kind = 1, at;
  if (dwarf.version == 5) {
    kind = dwarf_fixed(&p, 1);
    dwarf.address = (unsigned)dwarf_fixed(&p, 1);
    at = dwarf_fixed(&p, 4);
  } else {
    at = dwarf_fixed(&p, 4);
    dwarf.address = (unsigned)dwarf_fixed(&p, 1);
  }
  if ((dwarf.version != 4 && dwarf.version != 5) || kind != 1 || at > (uint64_t)(abbrev.end - abbrev.at)) return NULL;
  dwarf_abbrevs(at);
  return p;
}

/* Finds a struct by name and size. */
static bool dwarf_find(const char *name, size_t size, struct entry *e) {
  if (!dwarf_open()) return false;
  for (const uint8_t *u = info.at; u && u + 12 < info.end; u = dwarf.end) {
    for (const uint8_t *p = dwarf_begin_unit(u); p && dwarf_entry(p, e); p = e->next)
      if (e->tag == TAG_STRUCT && e->size == size && e->name && !strcmp(e->name, name)) return true;
  }
  return false;
}

bool field_at(const char *name, size_t size, size_t byte, char text[static FIELD_NAME]) {
  struct entry e;
  if (byte >= size || !dwarf_find(name, size, &e)) return false;
  dwarf_describe(&e, byte, text);
  return text[0] != 0;
}

bool field_named(const char *name, size_t size, const char *path, size_t *offset, size_t *bytes) {
  struct entry e, member, type;
  *offset = 0;
  if (!dwarf_find(name, size, &e)) return false;
  for (size_t n; *path; path += n + (path[n] == '.')) {
    bool found = false;
    n = strcspn(path, ".");
    for (const uint8_t *p = e.children ? e.next : NULL; !found && p && dwarf_entry(p, &member) && member.tag;
         p = dwarf_sibling(&member))
      found = member.tag == TAG_MEMBER && member.name && !strncmp(member.name, path, n) && !member.name[n] &&
              dwarf_type(member.type, &type);
    if (!found) return false;
    *offset += member.place;
    e = type;
  }
  *bytes = e.size;
  return (e.tag == TAG_BASE || e.tag == TAG_ENUM) && e.size && e.size <= 8 && *offset + e.size <= size;
}
