# SPDX-License-Identifier: Apache-2.0
# The files that the given files depend on, themselves included, one per line. From the text alone: no build is needed.
# C: what #include "F" and #define X_DEF "F" name, looked for beside the file and in `dirs`; and the source F.c beside
# each blocks/S/F.h, which is another block that this one calls. SystemVerilog: the modules of `modules` (files) that it
# instantiates or whose names stand before "::", and what `include names. Files below cosim/ do not belong to the block
# and are left out.
# usage: awk -v dirs="DIR..." -v modules="FILE..." -f cosim/sources.awk FILE...

function exists(f,   line, there) {
  there = (getline line < f) >= 0
  close(f)
  return there
}

function add(f) {
  if (f ~ /^cosim\//) return
  if (!(f in seen)) todo[++n] = f
  seen[f] = 1
}

function include(from, name,   k, f) {
  f = from
  sub(/[^\/]*$/, "", f)
  f = f name
  for (k = 1; !exists(f); k++) {
    if (k > ndirs) return
    f = dir[k] "/" name
  }
  add(f)
}

function of_c(f,   s, name) {
  while ((getline s < f) > 0) {
    if (s !~ /^[ \t]*#[ \t]*(include|define[ \t]+[A-Z_]+_DEF)[ \t]+"[^"]+"/) continue
    name = s
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    include(f, name)
  }
  if (f ~ /\/blocks\/[^\/]+\/[^\/]+\.h$/) {
    sub(/h$/, "c", f)
    if (exists(f)) add(f)
  }
}

function of_sv(f,   s, word, k, count) {
  while ((getline s < f) > 0) {
    sub(/\/\/.*/, "", s)
    if (s ~ /^[ \t]*`include[ \t]+"/) {
      split(s, word, "\"")
      include(f, word[2])
    }
    gsub(/::/, " :: ", s)
    gsub(/#/, " # ", s)
    count = split(s, word, " ")
    for (k = 1; k < count; k++)
      if (word[k] in module && word[k + 1] ~ /^(#$|::$|u_)/) add(module[word[k]])
    if (word[1] in module) add(module[word[1]])   # an instance of any name, which may stand on the next line
  }
}

BEGIN {
  ndirs = split(dirs, dir, " ")
  count = split(modules, file, " ")
  for (k = 1; k <= count; k++) {
    name = file[k]
    gsub(/.*\/|\.sv$/, "", name)
    module[name] = file[k]
  }
  for (k = 1; k < ARGC; k++) if (exists(ARGV[k])) add(ARGV[k])
  for (k = 1; k <= n; k++) {
    print todo[k]
    if (todo[k] ~ /\.svh?$/) of_sv(todo[k])
    else if (todo[k] ~ /\.(c|h|def)$/) of_c(todo[k])
  }
}
