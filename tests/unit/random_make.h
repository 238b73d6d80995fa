/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel made of random instructions, from a seed: PTX that is defined in all it does (every register is
 * written before it is read, loops end, threads share no memory but across barriers), and a launch file.
 */
#ifndef RT_UNIT_RANDOM_MAKE_H
#define RT_UNIT_RANDOM_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { MAKE_H = 6, MAKE_R = 14, MAKE_D = 5, MAKE_F = 6, MAKE_P = 5, MAKE_SLOTS = 32, MAKE_IN = 1024 };

struct maker {
  FILE *f;
  uint64_t state;
  unsigned label, left;        /* statements still to be made */
  unsigned turns;              /* product of the loops around */
  uint32_t lock[3];            /* registers that loops count in: of 16, 32 and 64 bits */
  unsigned nr, threads, x, at; /* x, at: of fill */
  unsigned small;              /* percent of instructions that make numbers small */
  char leave[16];              /* label that a loop may be left for; "": none */
  bool wild;                   /* jumps back to anywhere, into loops too; threads may end: %fuel bounds it all */
  unsigned back[32][2], nback; /* labels above: letter and number */
};

static uint32_t rnd(struct maker *m, uint32_t n) { return (uint32_t)(rng_next(&m->state) >> 32) % n; }

/* Numbers near the ends of types, near powers of two, and small ones. */
static int64_t number(struct maker *m, unsigned bits) {
  int64_t v;
  switch (rnd(m, 6)) {
    case 0: v = (int64_t)rnd(m, 8); break;
    case 1: v = -(int64_t)rnd(m, 8) - 1; break;
    case 2: v = (int64_t)((1ull << rnd(m, bits)) + rnd(m, 3) - 1); break;
    case 3: v = (int64_t)(rnd(m, 3) - 1 - (1ull << rnd(m, bits))); break;
    case 4: v = (int64_t)rnd(m, 1000); break;
    default: v = (int64_t)((uint64_t)rnd(m, UINT32_MAX) << 32 | rnd(m, UINT32_MAX)) >> rnd(m, 64); break;
  }
  unsigned up = 64 - bits; /* as a signed number of so many bits: assemblers take no others */
  return (int64_t)((uint64_t)v << up) >> up;
}

/* A part of a list, which ends at a # or with the list. */
static const char *pick(struct maker *m, const char *list) {
  uint32_t n = 1;
  for (const char *t = list; *t; t++) n += *t == '#';
  for (n = rnd(m, n); n; n--) list = strchr(list, '#') + 1;
  return list;
}

static const char kinds[] = "hrdfp";
static unsigned count_of(const struct maker *m, char kind) {
  switch (kind) {
    case 'h': return MAKE_H;
    case 'r': return m->nr;
    case 'd': return MAKE_D;
    case 'f': return MAKE_F;
    default: return MAKE_P;
  }
}
static void reg(struct maker *m, char kind, bool write) {
  unsigned n = count_of(m, kind), k = rnd(m, n);
  if (write && kind != 'f' && kind != 'p')
    while (m->lock[strchr(kinds, kind) - kinds] >> k & 1) k = rnd(m, n);
  fprintf(m->f, "%%%c%u", kind, k);
}

/* Behind a $: h r d f p: a register that is read, in capitals written; j i k: it or a number of 16, 32, 64
 * bits; x: f or a number; s: a number to shift by, or a register; 1 2 3 b: a number below 8, 16, 32, 65536;
 * m: 1 to 200; a: m->at; @: a comparison; ^: and, or, xor; !: p or not p. A ? is the register m->x. */
static void fill(struct maker *m, const char *t) {
  static const char *const cmp[] = {"eq", "ne", "lt", "le", "gt", "ge"}, *const bools[] = {"and", "or", "xor"};
  for (; *t && *t != '#'; t++) {
    unsigned imm = rnd(m, 2);
    switch (*t) {
      case '$':
        t++;
        switch (*t) {
          case 'h':
          case 'r':
          case 'd':
          case 'f':
          case 'p': reg(m, *t, false); break;
          case 'H':
          case 'R':
          case 'D':
          case 'F':
          case 'P': reg(m, (char)(*t + 32), true); break;
          case 'j':
            if (imm) fprintf(m->f, "%d", (int)number(m, 16));
            else reg(m, 'h', false);
            break;
          case 'i':
            if (imm) fprintf(m->f, "%d", (int)number(m, 32));
            else reg(m, 'r', false);
            break;
          case 'k':
            if (imm) fprintf(m->f, "%lld", (long long)number(m, 64));
            else reg(m, 'd', false);
            break;
          case 's':
            if (rnd(m, 4)) fprintf(m->f, "%u", rnd(m, 36));
            else reg(m, 'r', false);
            break;
          case '1': fprintf(m->f, "%u", rnd(m, 8)); break;
          case '2': fprintf(m->f, "%u", rnd(m, 16)); break;
          case '3': fprintf(m->f, "%u", rnd(m, 32)); break;
          case 'm': fprintf(m->f, "%u", 1 + rnd(m, 200)); break;
          case 'b': fprintf(m->f, "%u", rnd(m, 65536)); break;
          case 'x':
            if (imm) fprintf(m->f, "0f%08X", 0x3c000000u + rnd(m, 0x08000000));
            else reg(m, 'f', false);
            break;
          case 'a': fprintf(m->f, "%u", m->at); break;
          case '@': fputs(cmp[rnd(m, 6)], m->f); break;
          case '^': fputs(bools[rnd(m, 3)], m->f); break;
          case '!':
            fputs(rnd(m, 2) ? "!" : "", m->f);
            reg(m, 'p', false);
            break;
          default: abort();
        }
        break;
      case '?': fprintf(m->f, "%%r%u", m->x); break;
      default: putc(*t, m->f);
    }
  }
}

static const char plain[] =
    "add.s32 $R, $r, $i;#add.u32 $R, $r, $i;#sub.s32 $R, $r, $i;#sub.u32 $R, $i, $r;#"
    "add.sat.s32 $R, $r, $i;#sub.sat.s32 $R, $r, $i;#mul.lo.s32 $R, $r, $i;#mul.hi.s32 $R, $r, $i;#"
    "mul.hi.u32 $R, $r, $i;#mad.lo.s32 $R, $r, $i, $r;#mad.hi.u32 $R, $r, $i, $i;#"
    "mad.hi.s32 $R, $r, $i, $i;#mad.hi.sat.s32 $R, $r, $r, $i;#mul24.lo.u32 $R, $r, $i;#"
    "mul24.hi.s32 $R, $r, $r;#mad24.lo.s32 $R, $r, $r, $i;#sad.u32 $R, $r, $i, $i;#"
    "sad.s32 $R, $r, $r, $i;#div.s32 $R, $r, $i;#div.u32 $R, $r, $i;#rem.s32 $R, $r, $i;#"
    "rem.u32 $R, $r, $i;#abs.s32 $R, $r;#neg.s32 $R, $r;#min.s32 $R, $r, $i;#min.u32 $R, $r, $i;#"
    "max.s32 $R, $r, $i;#max.u32 $R, $r, $i;#and.b32 $R, $r, $i;#or.b32 $R, $r, $i;#"
    "xor.b32 $R, $r, $i;#not.b32 $R, $r;#cnot.b32 $R, $r;#shl.b32 $R, $r, $s;#shr.u32 $R, $r, $s;#"
    "shr.s32 $R, $r, $s;#shr.b32 $R, $i, $s;#shf.l.wrap.b32 $R, $r, $r, $s;#"
    "shf.r.clamp.b32 $R, $r, $r, $s;#lop3.b32 $R, $r, $r, $r, 0x6a;#lop3.b32 $R, $r, $i, $r, 0xd3;#"
    "popc.b32 $R, $r;#clz.b32 $R, $r;#brev.b32 $R, $r;#bfind.u32 $R, $r;#bfind.s32 $R, $r;#"
    "bfind.shiftamt.u32 $R, $r;#popc.b64 $R, $d;#clz.b64 $R, $d;#bfind.s64 $R, $d;#"
    "bfe.u32 $R, $r, $3, $3;#bfe.s32 $R, $r, $3, $2;#bfe.u32 $R, $r, $i, $i;#bfe.s32 $R, $r, $r, $r;#"
    "bfe.u64 $D, $d, $3, $3;#bfe.s64 $D, $d, $3, $2;#bfi.b32 $R, $r, $r, $3, $2;#"
    "bfi.b32 $R, $i, $r, $i, $r;#bfi.b64 $D, $d, $d, $3, $3;#prmt.b32 $R, $r, $i, $b;#"
    "prmt.b32 $R, $r, $r, $r;#prmt.b32.f4e $R, $r, $r, $r;#prmt.b32.rc16 $R, $r, $r, $r;#"
    "selp.b32 $R, $i, $r, $p;#selp.s32 $R, $r, $i, $p;#slct.s32.s32 $R, $r, $i, $r;#"
    "slct.u32.f32 $R, $r, $i, $f;#set.lt.u32.s32 $R, $r, $i;#set.ne.and.u32.u32 $R, $r, $i, $p;#"
    "set.ge.f32.f32 $F, $f, $x;#mov.b32 $R, $i;#mov.u32 $R, $r;#mov.b32 $R, $f;#mov.b32 $F, $r;#"
    "mov.u32 $R, %laneid;#mov.u32 $R, %ntid.x;#mov.u32 $R, %ctaid.x;#mov.u32 $R, %tid.y;#"
    "mov.u32 $R, %nctaid.x;#mov.u32 $R, %warpid;#mov.u32 $R, %tid.x;#add.s16 $H, $h, $j;#"
    "sub.u16 $H, $h, $j;#mul.lo.s16 $H, $h, $j;#mul.hi.u16 $H, $h, $j;#mul.hi.s16 $H, $h, $j;#"
    "mul.wide.s16 $R, $h, $j;#mul.wide.u16 $R, $h, $j;#mad.lo.u16 $H, $h, $h, $h;#"
    "mad.wide.s16 $R, $h, $h, $i;#mad.wide.u16 $R, $h, $h, $r;#div.s16 $H, $h, $j;#div.u16 $H, $h, $j;#"
    "rem.s16 $H, $h, $j;#rem.u16 $H, $h, $j;#abs.s16 $H, $h;#neg.s16 $H, $h;#min.s16 $H, $h, $j;#"
    "max.u16 $H, $h, $j;#min.u16 $H, $h, $h;#and.b16 $H, $h, $j;#or.b16 $H, $h, $j;#"
    "xor.b16 $H, $h, $j;#not.b16 $H, $h;#shl.b16 $H, $h, $s;#shr.u16 $H, $h, $s;#shr.s16 $H, $h, $s;#"
    "selp.b16 $H, $h, $j, $p;#sad.s16 $H, $h, $h, $h;#mov.b16 $H, $j;#cnot.b16 $H, $h;#"
    "add.s64 $D, $d, $k;#sub.u64 $D, $d, $k;#mul.lo.s64 $D, $d, $k;#mul.hi.s64 $D, $d, $d;#"
    "mul.hi.u64 $D, $d, $k;#mul.wide.s32 $D, $r, $i;#mul.wide.u32 $D, $r, $i;#"
    "mad.wide.s32 $D, $r, $i, $d;#mad.wide.u32 $D, $r, $i, $k;#mad.lo.u64 $D, $d, $d, $k;#"
    "div.s64 $D, $d, $k;#div.u64 $D, $d, $k;#rem.s64 $D, $d, $k;#rem.u64 $D, $d, $k;#abs.s64 $D, $d;#"
    "neg.s64 $D, $d;#min.s64 $D, $d, $k;#max.u64 $D, $d, $k;#and.b64 $D, $d, $k;#or.b64 $D, $d, $k;#"
    "xor.b64 $D, $d, $k;#not.b64 $D, $d;#shl.b64 $D, $d, $s;#shr.u64 $D, $d, $s;#shr.s64 $D, $d, $s;#"
    "selp.b64 $D, $d, $k, $p;#mov.u64 $D, $k;#mov.u64 $D, $d;#mov.b64 $D, {$r, $r};#"
    "mov.b64 {$R, %t0}, $d;#mov.b64 {%t0, $R}, $d;#mov.b32 $R, {$h, $h};#mov.b32 {$H, %s0}, $r;#"
    "mov.b32 {%s0, $H}, $r;#mov.b64 $D, {$h, $h, $h, $h};#add.cc.u32 %t0, $r, $i; addc.u32 $R, $r, $i;#"
    "sub.cc.s32 %t0, $r, $r; subc.s32 $R, $r, $i;#"
    "mad.lo.cc.u32 %t0, $r, $r, $r; madc.hi.u32 $R, $r, $r, $i;#cvt.u32.u16 $R, $h;#"
    "cvt.s32.s16 $R, $h;#cvt.u16.u32 $H, $r;#cvt.s16.s32 $H, $r;#cvt.u32.u64 $R, $d;#"
    "cvt.s64.s32 $D, $r;#cvt.u64.u32 $D, $r;#cvt.s64.s16 $D, $h;#cvt.u64.u16 $D, $h;#"
    "cvt.s32.s8 $R, $r;#cvt.u32.u8 $R, $r;#cvt.s8.s32 $R, $r;#cvt.u8.u32 $H, $r;#cvt.s16.s8 $H, $h;#"
    "cvt.u16.u8 $H, $h;#cvt.sat.u8.s32 $R, $r;#cvt.sat.s8.s32 $R, $r;#cvt.sat.s16.s32 $H, $r;#"
    "cvt.sat.u16.s32 $H, $r;#cvt.sat.u32.s32 $R, $r;#cvt.sat.s32.u32 $R, $r;#cvt.sat.s32.s64 $R, $d;#"
    "cvt.sat.u32.s64 $R, $d;#cvt.sat.u64.s64 $D, $d;#cvt.sat.u8.s16 $H, $h;#cvt.sat.u16.s64 $H, $d;#"
    "cvt.s32.s64 $R, $d;#cvt.u8.u64 $R, $d;#cvt.rzi.s32.f32 $R, $f;#cvt.rni.u32.f32 $R, $f;#"
    "cvt.rzi.u8.f32 $R, $f;#cvt.rmi.s16.f32 $H, $f;#cvt.rpi.s64.f32 $D, $f;#cvt.rn.f32.s32 $F, $r;#"
    "cvt.rn.f32.u32 $F, $r;#cvt.rn.f32.u16 $F, $h;#cvt.rn.f32.s64 $F, $d;#cvt.rn.f32.u8 $F, $r;#"
    "cvt.rn.f16.f32 $H, $f;#cvt.f32.f16 $F, $h;#cvt.sat.f32.f32 $F, $f;#add.f32 $F, $f, $x;#"
    "sub.f32 $F, $f, $x;#mul.f32 $F, $f, $x;#fma.rn.f32 $F, $f, $x, $f;#fma.rn.f32 $F, $f, $f, $f;#"
    "min.f32 $F, $f, $x;#max.f32 $F, $f, $x;#abs.f32 $F, $f;#neg.f32 $F, $f;#div.rn.f32 $F, $f, $x;#"
    "sqrt.approx.f32 $F, $f;#rcp.approx.f32 $F, $f;#ex2.approx.f32 $F, $f;#mov.f32 $F, $x;#"
    "selp.f32 $F, $f, $x, $p;#setp.$@.s32 $P, $r, $i;#setp.$@.u32 $P, $r, $i;#setp.$@.s32 $P, $r, $i;#"
    "setp.$@.u32 $P, $r, $i;#setp.$@.s16 $P, $h, $j;#setp.$@.u16 $P, $h, $j;#setp.$@.s64 $P, $d, $k;#"
    "setp.$@.u64 $P, $d, $k;#setp.$@.f32 $P, $f, $x;#setp.ltu.f32 $P, $f, $x;#setp.eq.b32 $P, $r, $i;#"
    "setp.lo.u32 $P, $r, $i;#setp.$@.$^.s32 $P, $r, $i, $!;#setp.$@.$^.u32 $P, $r, $i, $!;#"
    "setp.$@.$^.u16 $P, $h, $j, $!;#setp.$@.s32 %p0|%p1, $r, $i;#setp.$@.$^.u32 %p2|%p0, $r, $i, $!;#"
    "setp.$@.$^.s64 %p1|%p3, $d, $k, $!;#and.pred $P, $p, $p;#or.pred $P, $p, $p;#xor.pred $P, $p, $p;#"
    "not.pred $P, $p;#mov.pred $P, $p;#dp4a.u32.s32 $R, $r, $r, $i;#szext.wrap.s32 $R, $r, $3;#"
    "szext.clamp.u32 $R, $r, $s;#bmsk.clamp.b32 $R, $s, $3;#fns.b32 $R, $r, $3, $1;";

/* Instructions that make numbers small, or reveal that they are. */
static const char narrow[] =
    "and.b32 $R, $r, $b;#and.b32 $R, $r, $3;#and.b32 $R, $r, 0xff0;#rem.u32 $R, $r, $m;#"
    "rem.s32 $R, $r, $m;#shr.u32 $R, $r, $3;#shr.s32 $R, $r, $3;#bfe.u32 $R, $r, $3, $1;#"
    "bfe.s32 $R, $r, $3, $1;#cvt.u32.u8 $R, $r;#cvt.s32.s8 $R, $r;#cvt.u32.u16 $R, $h;#"
    "cvt.s32.s16 $R, $h;#and.b16 $H, $h, $3;#min.u32 $R, $r, $b;#"
    "min.s32 $R, $r, $m; max.s32 $R, $r, -$m;#min.s16 $H, $h, $m;#max.s16 $H, $h, -$m;#"
    "rem.s16 $H, $h, $m;#and.b64 $D, $d, $b;#shr.s64 $D, $d, 40;#shr.u64 $D, $d, $3;#"
    "rem.s64 $D, $d, $m;#mov.u32 $R, $3;#mov.u32 $R, -$m;#mov.u16 $H, $3;#mov.u64 $D, -$m;#"
    "add.s32 $R, $r, $1;#add.s32 $R, $r, -1;#sub.s32 $R, $m, $r;#add.s16 $H, $h, 1;#"
    "add.s64 $D, $d, -$1;#add.s32 $R, $r, $r;#sub.s32 $R, $r, $r;#selp.b32 $R, $m, -1, $p;#"
    "mov.u32 $R, %tid.x;#mov.u32 $R, %laneid;#cvt.s64.s32 $D, $r;#cvt.u64.u32 $D, $r;#"
    "mul.wide.u32 $D, $r, $m;#mad.wide.s32 $D, $r, -$1, $d;#cvt.u32.u64 $R, $d;#neg.s32 $R, $r;#"
    "abs.s32 $R, $r;#shl.b32 $R, $r, $1;#mul.lo.s32 $R, $r, $1;#mad.lo.s32 $R, $r, -3, $r;#"
    "prmt.b32 $R, $r, $r, 0x4440;#setp.$@.s32 $P, $r, $m;#setp.$@.s32 $P, $r, -$1;#"
    "setp.$@.u32 $P, $r, $3;#setp.$@.s32 $P, $r, $r;#setp.$@.u32 $P, $r, $r;#setp.$@.s64 $P, $d, $m;#"
    "setp.$@.s16 $P, $h, $3;#mov.b64 $D, {$r, $r};#mov.b64 {$R, %t0}, $d;";

/* Addresses: %din the input, of MAKE_IN bytes and more, %dout the thread's results, %sh its 32 bytes of
 * shared memory. */
static const char memory[] =
    "and.b32 %t0, $r, 1020; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.u32 $R, [%td];#"
    "and.b32 %t0, $r, 1023; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.u8 $R, [%td];#"
    "and.b32 %t0, $r, 1023; cvt.u64.u32 %td, %t0; add.s64 %td, %td, %din; ld.global.s8 $R, [%td+3];#"
    "and.b32 %t0, $r, 1022; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.s16 $R, [%td];#"
    "and.b32 %t0, $r, 1022; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.u16 $H, [%td];#"
    "and.b32 %t0, $r, 1023; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.s8 $H, [%td];#"
    "and.b32 %t0, $r, 1008; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.v2.u32 {$R, %t0}, [%td];#"
    "and.b32 %t0, $r, 1008; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.v4.u8 {%t0, $R, %t1, "
    "%t2}, [%td];#"
    "and.b32 %t0, $r, 1008; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.v4.s16 {%t0, %t1, $R, "
    "%t2}, [%td];#"
    "and.b32 %t0, $r, 1008; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.v4.f32 {%f0, %f1, %f2, "
    "%f3}, [%td];#"
    "and.b32 %t0, $r, 1008; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.v2.u64 {%td, $D}, [%td];#"
    "and.b32 %t0, $r, 1016; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.u64 $D, [%td];#"
    "and.b32 %t0, $r, 1020; cvt.u64.u32 %td, %t0; add.s64 %td, %din, %td; ld.global.f32 $F, [%td];#"
    "st.shared.u32 [%sh], $r;#st.shared.u8 [%sh+4], $r;#st.shared.u16 [%sh+6], $h;#"
    "st.shared.u64 [%sh+8], $d;#st.shared.v4.u8 [%sh+16], {$r, $r, $r, $r};#"
    "st.shared.v2.u16 [%sh+20], {$h, $h};#st.shared.v2.f32 [%sh+24], {$f, $f};#"
    "ld.shared.u32 $R, [%sh];#ld.shared.u8 $R, [%sh+4];#ld.shared.s8 $R, [%sh+5];#"
    "ld.shared.s16 $R, [%sh+6];#ld.shared.u16 $H, [%sh+10];#ld.shared.s8 $H, [%sh+17];#"
    "ld.shared.u64 $D, [%sh+8];#ld.shared.v4.s8 {%t0, %t1, $R, %t2}, [%sh+16];#"
    "ld.shared.v2.u16 {$H, %s0}, [%sh+20];#ld.shared.f32 $F, [%sh+24];#"
    "ld.shared.v2.u32 {%t0, $R}, [%sh+24];#"
    "and.b32 %t0, $r, 31; add.u32 %t0, %sh, %t0; st.shared.u8 [%t0], $r;#"
    "and.b32 %t0, $r, 31; add.u32 %t0, %sh, %t0; ld.shared.u8 $R, [%t0];#ld.param.u32 $R, [n];#"
    "ld.param.s32 $R, [s];#ld.param.u16 $H, [g];#ld.param.s16 $R, [g];#ld.param.u64 $D, [w];#"
    "ld.param.u32 $R, [w];#ld.param.u32 $R, [w+4];#ld.param.u8 $R, [b];#ld.param.s8 $R, [b];#"
    "ld.param.f32 $F, [x];#ld.param.b32 $F, [n];#ld.param.s32 $R, [n];#ld.param.u16 $H, [n];#"
    "st.local.u32 [spot], $r;#ld.local.s16 $R, [spot+2];#ld.local.u32 $R, [spot];#"
    "st.local.v2.u32 [spot+8], {$r, $r};#ld.local.u64 $D, [spot+8];#atom.shared.add.u32 $R, [%sh], $r;#"
    "atom.shared.max.s32 $R, [%sh+24], $r;#atom.shared.exch.b64 $D, [%sh+8], $d;#"
    /* textures over the input, one of them linear memory; of the surface, each thread has 16 bytes */
    "tex.1d.v4.u32.s32 {$R, _, %t0, _}, [line, {$r}];#and.b32 %t0, $r, 1023; tex.1d.v4.s32.s32 {$R, _, _, %t1}, "
    "[line, %t0];#tex.2d.v4.f32.f32 {$F, %f0, %f1, _}, [image, {$f, $f}];#"
    "tex.2d.v4.f32.f32 {_, $F, _, _}, [image, {0f3F000000, $f}], {$r, -2};#"
    "tex.2d.v4.f16.f32 {_, $H, %s0, _}, [image, {$f, $f}];#tex.2d.v2.f16x2.f32 {$R, %t0}, [image, {$f, $f}];#"
    "and.b32 %t0, $r, 15; tex.level.a2d.v4.u32.s32 {%t1, $R, %t0, $R}, [layers, {$r, %t0, $r, 0}], 0;#"
    "tex.grad.2d.v4.f32.f32 {_, _, $F, _}, [image, {$f, $f}], {$f, 0f3F800000}, {0f00000000, $f};#"
    "tld4.g.2d.v4.f32.f32 {_, $F, _, %f0}, [image, {$f, $f}];#txq.width.b32 $R, [image];#"
    "suq.width.b32 $R, [own];#mov.u64 %td, line; tex.1d.v4.u32.s32 {$R, _, _, _}, [%td, {$r}];#"
    "mov.u64 %td, image; istypep.texref $P, %td;#istypep.surfref $P, $d;#"
    "shl.b32 %t0, %gid, 4; sust.b.1d.b32.trap [own, {%t0}], $r;#"
    "shl.b32 %t0, %gid, 4; sust.b.1d.v4.b8.zero [own, {%t0}], {$r, $r, $h, $r};#"
    "shl.b32 %t0, %gid, 4; sust.b.1d.v2.b64.clamp [own, {%t0}], {$d, $d};#"
    "shl.b32 %t0, %gid, 4; sust.b.1d.v4.b32.trap [own, {%t0}], {$r, $f, $r, $r};#"
    "shl.b32 %t0, %gid, 4; suld.b.1d.v4.b16.trap {$R, %t1, $H, %t2}, [own, {%t0}];#"
    "mad.lo.u32 %t0, %gid, 16, 8; suld.b.1d.b64.trap $D, [own, {%t0}];#"
    "shl.b32 %t0, %gid, 4; suld.b.1d.v4.b32.zero {$R, %f0, _, %t1}, [own, {%t0}];";

static const char stores[] =
    "st.global.u32 [%dout+$a], $r;#st.global.u16 [%dout+$a], $h;#st.global.u8 [%dout+$a], $r;#"
    "st.global.f32 [%dout+$a], $f;#st.global.v2.u16 [%dout+$a], {$h, $h};#"
    "st.global.v4.u8 [%dout+$a], {$r, $r, $r, $r};";
static const char wide_stores[] =
    "st.global.u64 [%dout+$a], $d;#st.global.v4.u32 [%dout+$a], {$r, $r, $r, $r};#"
    "st.global.v2.u64 [%dout+$a], {$d, $d};#st.global.v2.f32 [%dout+$a], {$f, $f};#"
    "st.global.v4.u16 [%dout+$a], {$h, $h, $h, $h};#st.global.v4.f32 [%dout+$a], {$f, $f, $f, $f};";

static void store(struct maker *m) {
  bool wide = rnd(m, 2);
  m->at = wide ? 16 * rnd(m, MAKE_SLOTS / 4) : 4 * rnd(m, MAKE_SLOTS);
  fill(m, pick(m, wide ? wide_stores : stores));
}

static void statements(struct maker *m, unsigned n, unsigned depth);

static void compare(struct maker *m) {
  static const char how[] =
      "setp.$@.s32 $P, $r, $i;#setp.$@.u32 $P, $r, $i;#setp.$@.s16 $P, $h, $j;#setp.$@.u64 $P, $d, $k;#"
      "setp.$@.$^.u32 $P, $r, $i, $!;#setp.$@.s32 %p0|%p1, $r, $i;#setp.$@.u16 $P, $h, $j;#"
      "setp.$@.s32 $P, $r, $m;#setp.$@.u32 $P, $r, $m;#setp.$@.s32 $P, $r, -$1;#setp.$@.s32 $P, $r, $r;#"
      "setp.$@.u32 $P, $r, $r;#setp.$@.s64 $P, $d, $m;#setp.$@.$^.s32 $P, $r, $m, $!;";
  fill(m, pick(m, how));
  putc('\n', m->f);
}

static void label(struct maker *m, char letter, unsigned n) {
  fprintf(m->f, "%c%u:\n", letter, n);
  unsigned *at = m->back[m->nback++ % 32];
  at[0] = (unsigned)letter;
  at[1] = n;
}

/* Out of everything when the fuel is used up. */
static void burn(struct maker *m) {
  if (m->wild) fprintf(m->f, "sub.u32 %%fuel, %%fuel, 1;\nsetp.eq.u32 %%q, %%fuel, 0;\n@%%q bra END;\n");
}

static void jump(struct maker *m) {
  if (!m->nback) return;
  const unsigned *to = m->back[rnd(m, m->nback < 32 ? m->nback : 32)];
  burn(m);
  if (rnd(m, 2)) compare(m);
  fprintf(m->f, "@");
  fill(m, "$!");
  fprintf(m->f, " bra %c%u;\n", (char)to[0], to[1]);
}

static void choose(struct maker *m, unsigned depth) { /* one of three ways */
  unsigned l = m->label++;
  fprintf(m->f, "T%u: .branchtargets A%u, B%u, C%u;\n", l, l, l, l);
  fill(m, "rem.u32 %t0, $r, 3;\n");
  fprintf(m->f, "brx.idx %%t0, T%u;\n", l);
  for (char c = 'A'; c <= 'C'; c++) {
    label(m, c, l);
    statements(m, 1 + rnd(m, 4), depth + 1);
    if (c < 'C' && rnd(m, 3)) fprintf(m->f, "bra D%u;\n", l);
  }
  label(m, 'D', l);
}

static void branch(struct maker *m, unsigned depth) {
  unsigned l = m->label++;
  if (rnd(m, 3)) compare(m);
  fprintf(m->f, "@");
  fill(m, "$!");
  fprintf(m->f, " bra L%u;\n", l);
  statements(m, 1 + rnd(m, 4), depth + 1);
  if (rnd(m, 2)) {
    fprintf(m->f, "bra M%u;\n", l);
    label(m, 'L', l);
    statements(m, 1 + rnd(m, 4), depth + 1);
    label(m, 'M', l);
  } else {
    label(m, 'L', l);
  }
}

/* Loops of at most seven turns, whose counter the body reads. */
struct loop {
  char kind;
  const char *begin, *test, *step; /* C: the counter, B: a bound */
  bool bound;                      /* B is any register & 7; else a number below 8 */
};
static const struct loop loops[] = {
    {'r', "mov.u32 C, 0;", "setp.lt.u32 P, C, B;", "add.u32 C, C, 1;", true},
    {'r', "mov.u32 C, 0;", "setp.lt.s32 P, C, B;", "add.s32 C, C, 2;", true},
    {'r', "mov.u32 C, -3;", "setp.lt.s32 P, C, B;", "add.s32 C, C, 3;", true},
    {'r', "mov.u32 C, B;", "setp.gt.s32 P, C, -1;", "add.s32 C, C, -1;", true},
    {'r', "mov.u32 C, B;", "setp.ne.s32 P, C, 0;", "sub.s32 C, C, 1;", true},
    {'r', "mov.u32 C, B;", "setp.gt.u32 P, C, 0;", "sub.u32 C, C, 1;", true},
    {'r', "mov.u32 C, 0xfffffffd;", "setp.ne.u32 P, C, 3;", "add.u32 C, C, 1;", false},
    {'r', "mov.u32 C, 0xfffffff0;", "setp.gt.u32 P, C, 100;", "add.u32 C, C, 5;", false},
    {'r', "mov.u32 C, 0x7ffffff0;", "setp.gt.s32 P, C, 0;", "add.s32 C, C, 4;", false},
    {'r', "mov.u32 C, 2147483640;", "setp.lt.u32 P, C, 0x80000004;", "add.s32 C, C, 3;", false},
    {'r', "mov.u32 C, 1;", "setp.lt.u32 P, C, 128;", "shl.b32 C, C, 1;", false},
    {'r', "mov.u32 C, 0xfffffff;", "setp.ne.u32 P, C, 0;", "shr.u32 C, C, 5;", false},
    {'r', "mov.u32 C, 1;", "setp.lt.u32 P, C, 2000;", "mul.lo.u32 C, C, 5;", false},
    {'r', "mov.u32 C, 96;", "setp.ge.s32 P, C, 0;", "add.s32 C, C, -17;", false},
    {'r', "mov.u32 C, %tid.x;", "setp.lt.u32 P, C, 300;", "add.u32 C, C, %ntid.x;", false},
    {'h', "mov.u16 C, 0;", "setp.lt.u16 P, C, B;", "add.u16 C, C, 1;", false},
    {'h', "mov.u16 C, 32760;", "setp.gt.s16 P, C, 0;", "add.s16 C, C, 3;", false},
    {'h', "mov.u16 C, 65530;", "setp.ne.u16 P, C, 0;", "add.u16 C, C, 1;", false},
    {'h', "mov.u16 C, 5;", "setp.ge.s16 P, C, 0;", "sub.s16 C, C, 1;", false},
    {'d', "mov.u64 C, 0;", "setp.lt.u64 P, C, B;", "add.s64 C, C, 1;", false},
    {'d', "mov.u64 C, 0xfffffffd;", "setp.lt.u64 P, C, 0x100000002;", "add.s64 C, C, 1;", false},
    {'d', "mov.u64 C, -3;", "setp.ne.s64 P, C, 2;", "add.s64 C, C, 1;", false},
    {'d', "mov.u64 C, 0x8000000000000002;", "setp.lt.s64 P, C, 0;", "add.s64 C, C, -1;", false}};

static void loop_text(struct maker *m, const char *t, char kind, unsigned c, const char *bound) {
  for (; *t; t++) {
    if (*t == 'C' && (t[1] == ',' || t[1] == ';')) fprintf(m->f, "%%%c%u", kind, c);
    else if (*t == 'B' && (t[1] == ',' || t[1] == ';')) fputs(bound, m->f);
    else if (*t == 'P' && t[1] == ',') fprintf(m->f, "%%q");
    else putc(*t, m->f);
  }
  putc('\n', m->f);
}

static void loop(struct maker *m, unsigned depth) {
  const struct loop *l = &loops[rnd(m, sizeof loops / sizeof *loops)];
  unsigned k = m->label++, kind = (unsigned)(strchr(kinds, l->kind) - kinds), c = rnd(m, count_of(m, l->kind));
  char bound[16], leave[sizeof m->leave];
  if (m->lock[kind] >> c & 1) return;
  for (unsigned j = 0, n = 0; j < count_of(m, l->kind); j++) /* some must be left to write to */
    if (m->lock[kind] >> j & 1 && ++n > 2) return;
  snprintf(bound, sizeof bound, "%u", rnd(m, 8));
  if (l->bound && rnd(m, 2)) {
    unsigned b = 0;
    while (b < m->nr && (m->lock[1] >> b & 1 || b == c)) b++;
    fprintf(m->f, "and.b32 %%r%u, %%r%u, 7;\n", b, b);
    m->lock[1] |= 1u << b;
    snprintf(bound, sizeof bound, "%%r%u", b);
  }
  uint32_t lock[3];
  memcpy(lock, m->lock, sizeof lock);
  memcpy(leave, m->leave, sizeof leave);
  m->lock[kind] |= 1u << c;
  m->turns *= 5;
  if (rnd(m, 2)) snprintf(m->leave, sizeof m->leave, "O%u", k);
  bool first = rnd(m, 4); /* the test comes before the body */
  loop_text(m, l->begin, l->kind, c, bound);
  if (!first) { /* a body whose test comes behind it is entered as the test says, too: so it ends */
    loop_text(m, l->test, l->kind, c, bound);
    fprintf(m->f, "@!%%q bra O%u;\n", k);
  }
  label(m, 'N', k);
  if (first) {
    loop_text(m, l->test, l->kind, c, bound);
    fprintf(m->f, "@!%%q bra O%u;\n", k);
  }
  statements(m, 1 + rnd(m, 5), depth + 1);
  loop_text(m, l->step, l->kind, c, bound);
  burn(m);
  if (first) {
    fprintf(m->f, "bra N%u;\n", k);
  } else {
    loop_text(m, l->test, l->kind, c, bound);
    fprintf(m->f, "@%%q bra N%u;\n", k);
  }
  label(m, 'O', k);
  memcpy(m->lock, lock, sizeof lock);
  if (bound[0] == '%') m->lock[1] &= ~(1u << atoi(bound + 2));
  memcpy(m->leave, leave, sizeof leave);
  m->turns /= 5;
}

/* While a comparison holds, of whatever the body makes of its operands, seven turns at most. */
static void wander(struct maker *m, unsigned depth) {
  static const char how[] =
      "setp.$@.s32 %q, ?, $i;#setp.$@.u32 %q, ?, $i;#setp.$@.s32 %q, ?, $m;#setp.$@.s32 %q, ?, $r;#"
      "setp.$@.u32 %q, $r, ?;#setp.$@.and.s32 %q, ?, $m, $!;#setp.$@.or.u32 %q, ?, $i, $!;";
  static const char step[] =
      "add.s32 ?, ?, 1;#add.s32 ?, ?, -1;#add.s32 ?, ?, $i;#sub.s32 ?, ?, $m;#add.u32 ?, ?, $r;#"
      "shr.u32 ?, ?, 1;#shl.b32 ?, ?, 1;#sub.u32 ?, $r, ?;#mad.lo.s32 ?, $r, $i, ?;#neg.s32 ?, ?;";
  unsigned k = m->label++, x = rnd(m, m->nr);
  if (m->lock[1] >> x & 1) return;
  const char *test = pick(m, how), *next = pick(m, step);
  bool leads = rnd(m, 2);
  m->turns *= 7;
  fprintf(m->f, "mov.u32 %%c%u, 0;\n", depth);
  label(m, 'N', k);
  m->x = x;
  if (leads) fill(m, test), fprintf(m->f, "\n@!%%q bra O%u;\n", k);
  if (rnd(m, 2)) fill(m, next), putc('\n', m->f);
  statements(m, 1 + rnd(m, 5), depth + 1);
  m->x = x;
  fill(m, next);
  fprintf(m->f, "\nadd.u32 %%c%u, %%c%u, 1;\nsetp.gt.u32 %%q, %%c%u, 6;\n@%%q bra O%u;\n", depth, depth, depth, k);
  burn(m);
  if (!leads) fill(m, test), fprintf(m->f, "\n@%%q bra N%u;\n", k);
  else fprintf(m->f, "bra N%u;\n", k);
  label(m, 'O', k);
  m->turns /= 7;
}

static void exchange(struct maker *m) { /* all threads are here */
  switch (rnd(m, 4)) {
    case 0:
      fill(m,
           "bar.sync 0;\nst.shared.u32 [%sh+28], $r;\nbar.sync 0;\nld.shared.s16 $R, [%nb+28];\nbar.sync "
           "0;\n");
      break;
    case 1: fill(m, "shfl.sync.bfly.b32 $R, $r, $3, 31, -1;\n"); break;
    case 2: fill(m, "vote.sync.ballot.b32 $R, $!, -1;\n"); break;
    default: fill(m, "redux.sync.max.s32 $R, $r, -1;\n"); break;
  }
}

static void statement(struct maker *m, unsigned depth) {
  unsigned k = rnd(m, 100);
  if (k < 8 && depth < 4) {
    branch(m, depth);
  } else if (k < 9 && depth < 4) {
    choose(m, depth);
  } else if (k < 12 && depth < 4 && m->turns < 100) {
    loop(m, depth);
  } else if (k < 15 && depth < 4 && m->turns < 100) {
    wander(m, depth);
  } else if (k < 18) {
    store(m);
  } else if (k < 26) {
    fill(m, pick(m, memory));
  } else if (k < 32 && m->leave[0]) {
    compare(m);
    fprintf(m->f, "@");
    fill(m, "$!");
    fprintf(m->f, " bra %s;", m->leave);
  } else if (k < 34 && depth == 0 && !m->wild) {
    exchange(m);
  } else if (k < 34 && m->wild && rnd(m, 4)) {
    jump(m);
  } else if (k < 34 && m->wild && !rnd(m, 4)) {
    fill(m, "@$! exit;");
  } else {
    const char *t = rnd(m, 100) < m->small ? pick(m, narrow) : pick(m, plain);
    bool alone = t[strcspn(t, ";") + 1] == '#'; /* one instruction */
    if (alone && !rnd(m, 4)) fill(m, "@$! ");
    fill(m, t);
  }
  putc('\n', m->f);
}

static void statements(struct maker *m, unsigned n, unsigned depth) {
  for (; n && m->left; n--, m->left--) statement(m, depth);
}

static void begin(struct maker *m) {
  fprintf(m->f,
          "// random_make.h makes it\n.version 7.8\n.target sm_80\n.address_size 64\n\n"
          ".global .texref line, image, layers;\n.global .surfref own;\n.visible .entry "
          "k(.param .u64 in, .param .u64 out,\n"
          "  .param .u32 n, .param .s32 s, .param .u16 g, .param .u64 w, .param .u8 b, .param .f32 x)\n{\n"
          ".reg .b16 %%h<%u>, %%s<1>;\n.reg .b32 %%r<%u>, %%t<4>, %%sh, %%nb, %%gid;\n.reg .b64 %%d<%u>, "
          "%%td, %%din, %%dout;\n"
          ".reg .f32 %%f<%u>;\n.reg .pred %%p<%u>, %%q;\n.reg .b32 %%c<4>, %%fuel;\n.shared .align 16 .b8 "
          "room[%u];\n.local .align 16 .b8 spot[16];\n",
          MAKE_H, m->nr, MAKE_D, MAKE_F, MAKE_P, m->threads * 32);
  fprintf(m->f,
          "mov.u32 %%t0, %%tid.y;\nmov.u32 %%t1, %%ntid.x;\nmov.u32 %%t2, %%tid.x;\nmad.lo.u32 %%t0, %%t0, %%t1, "
          "%%t2;\n"
          "mov.u32 %%t1, room;\nshl.b32 %%sh, %%t0, 5;\nadd.u32 %%sh, %%sh, %%t1;\n"
          "xor.b32 %%nb, %%t0, 1;\nshl.b32 %%nb, %%nb, 5;\nadd.u32 %%nb, %%nb, %%t1;\n"
          "mov.u32 %%t1, %%ctaid.x;\nmad.lo.u32 %%gid, %%t1, %u, %%t0;\n"
          "ld.param.u64 %%din, [in];\nld.param.u64 %%dout, [out];\nmul.wide.u32 %%td, %%gid, %u;\nadd.s64 "
          "%%dout, %%dout, %%td;\n"
          "mov.u64 %%td, 0;\nst.shared.v2.u64 [%%sh], {%%td, %%td};\nst.shared.v2.u64 [%%sh+16], {%%td, %%td};\n"
          "st.local.v2.u64 [spot], {%%td, %%td};\n",
          m->threads, MAKE_SLOTS * 4);
  static const char *const r[] = {"mov.u32 Z, %tid.x;",         "ld.param.u32 Z, [n];",  "ld.param.s32 Z, [s];",
                                  "mov.u32 Z, %gid;",           "cvt.u32.u64 Z, %dout;", "ld.global.u8 Z, [%din+5];",
                                  "ld.global.s16 Z, [%din+8];", "mov.u32 Z, %laneid;",   "mov.u32 Z, I;",
                                  "sub.u32 Z, 7, %gid;",        "mov.u32 Z, 0;"};
  static const char *const h[] = {"cvt.u16.u32 Z, %gid;", "ld.param.u16 Z, [g];", "mov.u16 Z, I;",
                                  "ld.global.s8 Z, [%din+2];"};
  static const char *const d[] = {"cvt.u64.u32 Z, %gid;", "cvt.s64.s32 Z, %t2;",         "mov.u64 Z, I;",
                                  "ld.param.u64 Z, [w];", "ld.global.u64 Z, [%din+16];", "mul.wide.s32 Z, %gid, -77;"};
  static const char *const f[] = {"cvt.rn.f32.u32 Z, %gid;", "ld.param.f32 Z, [x];", "mov.f32 Z, 0f3FC00000;"};
  static const char *const p[] = {"setp.lt.u32 Z, %gid, 20;", "setp.ne.s32 Z, %t2, 3;", "setp.gt.u32 Z, %gid, I;"};
  const struct {
    char kind;
    unsigned n, of;
    const char *const *text;
  } all[] = {{'r', m->nr, 11, r}, {'h', MAKE_H, 4, h}, {'d', MAKE_D, 6, d}, {'f', MAKE_F, 3, f}, {'p', MAKE_P, 3, p}};
  for (unsigned a = 0; a < 5; a++)
    for (unsigned k = 0; k < all[a].n; k++) {
      for (const char *t = all[a].text[rnd(m, all[a].of)]; *t; t++) {
        if (*t == 'Z') fprintf(m->f, "%%%c%u", all[a].kind, k);
        else if (*t == 'I')
          fprintf(m->f, "%lld", (long long)number(m, all[a].kind == 'd' ? 64 : all[a].kind == 'h' ? 16 : 32));
        else putc(*t, m->f);
      }
      putc('\n', m->f);
    }
  fprintf(m->f,
          "mov.u32 %%t0, 0;\nmov.u32 %%t1, 0;\nmov.u32 %%t2, 0;\nmov.u32 %%t3, 0;\nmov.u16 %%s0, 0;\nmov.u64 "
          "%%td, 0;\n"
          "mov.u32 %%c0, 0;\nmov.u32 %%c1, 0;\nmov.u32 %%c2, 0;\nmov.u32 %%c3, 0;\nmov.u32 %%fuel, "
          "%u;\nsetp.ne.u32 %%q, %%t0, 0;\n",
          100 + rnd(m, 200));
}

/* Writes out[slot of thread] at least MAKE_SLOTS words. */
static void make_ptx(struct maker *m, FILE *f, uint64_t seed) {
  static const unsigned threads[] = {32, 64, 96, 128};
  *m = (struct maker){.f = f, .state = seed, .turns = 1};
  m->threads = threads[rnd(m, 4)];
  m->wild = !rnd(m, 3);
  m->small = 25 * rnd(m, 4) + 15;
  m->nr = rnd(m, 4) ? MAKE_R : rnd(m, 2) ? 6 : 28;
  begin(m);
  for (unsigned n = 10 + rnd(m, 60); n; n--) {
    m->left = 30;
    statement(m, 0);
  }
  fprintf(m->f, "END:\n");
  for (unsigned n = 4 + rnd(m, 30); n; n--) store(m), putc('\n', m->f);
  fprintf(m->f, "ret;\n}\n");
}

static void make_launch(struct maker *m, FILE *f, const char *ptx, const char *dump) {
  unsigned grid = 1 + rnd(m, 3), x = rnd(m, 2) ? m->threads : m->threads / 4;
  fprintf(f, "ptx %s\nbuffer in u8 %u rand 0 255\nbuffer out u32 %u zero\n", ptx, MAKE_IN + 16,
          grid * m->threads * MAKE_SLOTS);
  static const char *const wraps[] = {"clamp", "border border 0.25", "mirror coords normalized",
                                      "repeat coords normalized"};
  const unsigned threads = grid * m->threads;
  fprintf(f,
          "buffer room u32 %u rand 0 1000\ntexture line from in format r8ui\n"
          "texture image from in format rgba8 size (16, 16) array filter %s wrap %s\n"
          "texture layers from in format rg8ui size (16, 10) layers 3 array\nsurface own from room format r32ui size "
          "%u array\n",
          threads * 4, rnd(m, 2) ? "linear" : "point", wraps[rnd(m, 4)], threads * 4);
  for (unsigned n = 1 + rnd(m, 2); n; n--)
    fprintf(f, "launch k grid %u block (%u, %u) args(in, out, u32:%u, s32:%d, u16:%u, u64:%lld, u8:%u, f32:%g)\n", grid,
            x, m->threads / x, (uint32_t)number(m, 32), (int)number(m, 32), (unsigned)(number(m, 16) & 0xffff),
            (long long)number(m, 64), (unsigned)(number(m, 8) & 0xff), (double)number(m, 20) / 8);
  fprintf(f, "expect out expr 0 abs 1e30\ndump out %s\n", dump);
}

#endif
