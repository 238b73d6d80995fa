#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes a folder of links to the programs that the tests may call: those of a minimal Debian (packages of priority "required", and
# apt), of the packages in cmodel/make/packages.txt that make test installs, and of what these depend on. With it as PATH, a program that no
# list names is missing here as it is on a bare machine. Each further argument is a program that the caller named himself (CC=ccache
# ..., say).
# usage: tests/path.sh FOLDER [PROGRAM...]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
export LC_ALL=C
info=/var/lib/dpkg/info
if ! command -v dpkg-query >/dev/null; then
  echo "tests/path.sh: this is no Debian system (no dpkg-query); PATH stays as it is" >&2
  exit 3
fi

# The installed packages that these need. Of alternatives "a | b" the first that is installed; of a virtual package one that is
# needed anyway, else the first that provides it.
needed() {
  dpkg-query -W -f '${Package}\t${Priority}\t${db:Status-Status}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
    awk -F '\t' -v list=cmodel/make/packages.txt '
      function bare(s) { gsub(/\([^)]*\)|:any|[ \t]/, "", s); return s }
      function want(p) { if (!(p in in_it)) { in_it[p] = 1; queue[++n] = p } }
      function find(name,   k, m, who) {   # a package of this name, or one that provides it
        if (name in depends) return name
        m = split(provider[name], who, " ")
        for (k = 1; k <= m; k++) if (who[k] in in_it) return who[k]
        return m ? who[1] : ""
      }
      $3 != "installed" { next }
      {
        depends[$1] = $5
        m = split($4, name, ",")
        for (k = 1; k <= m; k++) { x = bare(name[k]); provider[x] = provider[x] " " $1 }
        if ($2 == "required" || $1 == "apt") first[++nfirst] = $1
      }
      END {
        for (k = 1; k <= nfirst; k++) want(first[k])
        while ((getline line <list) > 0) {
          split(line, word, " ")
          if (line ~ /^#/ || line == "" || word[1] == "bare") continue   # make test does not install these
          m = split(word[2], name, "|")
          for (k = 1; k <= m; k++) if (name[k] in depends) { want(name[k]); break }
        }
        for (q = 1; q <= n; q++) {
          m = split(depends[queue[q]], clause, ",")
          for (k = 1; k <= m; k++) {
            a = split(clause[k], name, "|")
            for (j = 1; j <= a; j++) if ((p = find(bare(name[j]))) != "") { want(p); break }
          }
        }
        for (q = 1; q <= n; q++) print queue[q]
      }'
}

mapfile -t packages < <(needed)
rm -rf "$folder"
mkdir -p "$folder"
lists=()
for p in "${packages[@]}"; do
  for f in "$info/$p.list" "$info/$p":*.list; do [ ! -f "$f" ] || lists+=("$f"); done
done
mapfile -t files < <(cat "${lists[@]}" | grep -E '^(/usr)?/s?bin/[^/]+$' | sort -u)
declare -A mine=()
for f in "${files[@]}"; do if [ -e "$f" ]; then mine[$f]=1; fi; done
ln -sf -t "$folder" "${!mine[@]}"

# Links that update-alternatives keeps (awk, cc) belong to no package. One that leads to a program of another package becomes one to
# the first alternative that is ours.
while read -r link to; do
  to=$(readlink "$to") || continue
  if [ -z "${mine[$to]-}" ]; then
    to=
    while read -r f; do
      if [ -n "${mine[$f]-}" ]; then to=$f && break; fi
    done < <(update-alternatives --list "${link##*/}" 2>/dev/null)
  fi
  [ -z "$to" ] || ln -sf "$to" "$folder/${link##*/}"
done < <(find /usr/bin /usr/sbin -lname '/etc/alternatives/*' -printf '%p %l\n')
for p in "$@"; do
  f=$(command -v "$p") || continue
  [[ $f != /* ]] || [ -e "$folder/${f##*/}" ] || ln -s "$f" "$folder/${f##*/}"
done
