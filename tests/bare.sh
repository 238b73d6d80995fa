#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make bare-check: does a machine with nothing but git and make build, run, install and test RegTwin? Makes a minbase system of Debian with
# debootstrap, from the sources, keys and settings of this machine's apt, and runs in it: clone, make, make demo, make install, make deps demo, make test.
# The first make demo has no Verilator: its step five must show what was recorded, and say so. The second one must run step five.
# SUITE=bookworm: which release. PARTS=first: only clone, make and make demo. KEEP=1: the system is left in build/bare/SUITE/root.
# Skipped, with status 0, where it cannot run. Base system and packages are kept in build/bare/SUITE for the next time, beside the log.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
suite=${SUITE:-bookworm} parts=${PARTS:-all}
place=$PWD/build/bare/$suite
root=$place/root log=$place/log

skip() {
  echo "bare-check $suite: skipped: $1"
  exit 0
}
case $parts in first | all) ;; *) echo "bare-check: found PARTS=$parts, expected first or all" >&2 && exit 2 ;; esac
[[ $suite =~ ^[a-z]+$ ]] || { echo "bare-check: found SUITE=$suite, expected the name of a Debian release, such as bookworm" >&2 && exit 2; }
[ "$(id -u)" -eq 0 ] || skip 'only root can make a system to run in; sudo make bare-check does'
for tool in apt-get apt-config git unshare; do command -v $tool >/dev/null || skip "found no $tool"; done
[ -e .git ] || skip 'this is no clone of a repository'
unshare --mount --pid --fork mount -t tmpfs tmpfs /mnt 2>/dev/null || skip 'root may not mount here, as in a container without CAP_SYS_ADMIN'

# ---- the sources of this machine's apt, its release replaced by SUITE ------------------------------------------------
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
# URI and release of Debian's main archive, of its updates and of its security fixes; other archives may have no such release.
# shellcheck disable=SC2016
indextargets() { apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null | sort -u; }
sources=()
while read -r uri release component; do
  [[ $component = main && $release =~ ^($codename|stable|oldstable)(-updates|-security|/updates)?$ ]] || continue
  sources+=("$uri $suite${BASH_REMATCH[2]}")
done < <(indextargets)
mirror=
for s in "${sources[@]}"; do if [ "${s#* }" = "$suite" ]; then mirror=${s% *}; fi; done
[ -n "$mirror" ] || skip "found no source of Debian $codename in this machine's apt"
list=${mirror#mirror+file:}
if [ "$list" != "$mirror" ]; then mirror=$(grep -om 1 '^[a-z]*:[^ 	]*' "/${list##/*(/}") || skip "found no mirror in $list"; fi
mkdir -p "$place"
devices() { rm -f "$place/null" && mknod "$place/null" c 1 3 && : >"$place/null"; }
devices 2>/dev/null || skip "root may not make devices in ${place#"$PWD"/}, as in a container without CAP_MKNOD or on a file system without them"
rm -f "$place/null"
exec 9>"$place/lock"
flock -n 9 || skip 'another one is running'
: >"$log"
/usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$suite/Release" "$place/Release" >>"$log" 2>&1 ||
  skip "no mirror of this machine's apt answers for Debian $suite (the log: ${log#"$PWD"/})"
cmodel/make/deps.sh bare

# wget, which debootstrap uses, asks the environment only; apt may have a proxy in its settings.
for scheme in http https; do
  if [ -z "$(eval "echo \${${scheme}_proxy-}")" ]; then
    eval "$(apt-config shell "${scheme}_proxy" "Acquire::$scheme::Proxy")"
    export "${scheme?}_proxy"
  fi
done
proxies=()
while IFS= read -r v; do proxies+=("$v"); done < <(env | grep -iE '^(https?|ftp|no)_proxy=.' || true)

# ---- steps -----------------------------------------------------------------------------------------------------------
passed=()
begin=$SECONDS
finish() {
  status=$?
  if [ -z "${KEEP-}" ]; then rm -rf --one-file-system "$root"; fi
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
# step NAME COMMAND...: one line with its time; a line each 30 s; the last lines of the log when it fails.
step() {
  local name=$1 from=$SECONDS next=30 pid status=0
  shift
  echo "==== $name" >>"$log"
  "$@" >>"$log" 2>&1 9>&- </dev/null &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    sleep 0.2
    if [ $((SECONDS - from)) -ge $next ]; then
      printf 'bare-check %s: %s: %d s so far: %s\n' "$suite" "$name" $((SECONDS - from)) "$(tail -n 1 "$log" | tr -dc '[:print:]' | cut -c 1-80)"
      next=$((next + 30))
    fi
  done
  wait $pid || status=$?
  if [ $status -ne 0 ]; then
    printf 'bare-check %s: %s failed after %d s, status %d; the end of %s:\n' "$suite" "$name" $((SECONDS - from)) $status "${log#"$PWD"/}"
    tail -n 40 "$log"
    echo "bare-check $suite: failed $name; passed ${passed[*]:-nothing} before"
    exit 1
  fi
  printf 'bare-check %s: %s: %d s\n' "$suite" "$name" $((SECONDS - from))
}

# The devices are those that debootstrap makes. Mounts and processes of the system are in namespaces of their own, so that they end with the command.
# shellcheck disable=SC2016
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    root=$1 debs=$2; shift 2
    mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t tmpfs tmpfs "$root/run" && mount -t tmpfs tmpfs "$root/dev/shm" &&
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts" &&
    mount --bind "$debs" "$root/var/cache/apt/archives" &&
    exec env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin '"${proxies[*]@Q}"' chroot "$root" "$@"' \
    - "$root" "$place/debs" "$@"
}
make_base() {
  local include=() keys=()
  rm -rf --one-file-system "$place/base" "$place/keys.gpg"
  if [[ $mirror = https:* ]]; then include=(--include=ca-certificates); fi
  # All keys that apt may trust here, as one binary file; armoured ones need gpg.
  for f in /usr/share/keyrings/*.gpg /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d/*.gpg /etc/apt/keyrings/*.gpg; do
    if [ -s "$f" ] && ! head -c 100 "$f" | grep -qaE 'KBXf|BEGIN PGP'; then cat "$f" >>"$place/keys.gpg"; fi
  done
  for f in /etc/apt/trusted.gpg.d/*.asc /etc/apt/keyrings/*; do
    if [ -s "$f" ] && command -v gpg >/dev/null && grep -qa 'BEGIN PGP' "$f"; then gpg --dearmor <"$f" >>"$place/keys.gpg"; fi
  done
  if [ -s "$place/keys.gpg" ]; then keys=(--keyring="$place/keys.gpg"); fi
  unshare --mount debootstrap --variant=minbase --cache-dir="$place/debs" "${include[@]}" "${keys[@]}" "$suite" "$place/new" "$mirror" || return
  mv "$place/new" "$place/base"
}
make_root() {
  local nothing=$place/nothing.conf
  rm -rf --one-file-system "$root" && cp -a --reflink=auto "$place/base" "$root" || return
  printf 'deb %s main\n' "${sources[@]}" >"$root/etc/apt/sources.list"
  rm -f "$root"/etc/apt/sources.list.d/*
  if [ -s "$place/keys.gpg" ]; then cp "$place/keys.gpg" "$root/etc/apt/trusted.gpg.d/host.gpg"; fi
  # How this machine's apt downloads, as far as that differs from what apt does by itself.
  printf 'Dir::Etc::parts "%s.d";\nDir::Etc::main "%s.none";\n' "$nothing" "$nothing" >"$nothing"
  comm -23 <(apt-config dump Acquire | sort) <(APT_CONFIG=$nothing apt-config dump Acquire 2>/dev/null | sort) >"$root/etc/apt/apt.conf.d/90host"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"
  for f in /etc/resolv.conf /etc/hosts; do if [ -e $f ]; then cp -L $f "$root/etc/"; fi; done
  if [[ $mirror = https:* ]] && [ -e /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
  inside sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends git make'
}
clone() {
  # Of a repository that belongs to another user, too.
  printf '[safe]\n\tdirectory = *\n' >"$place/gitconfig"
  GIT_CONFIG_GLOBAL=$place/gitconfig git clone -q --bare "file://$PWD" "$root/root/regtwin.git" && inside git clone -q /root/regtwin.git /root/regtwin
}
within() { inside env -C /root/regtwin "$@"; }
# make demo without Verilator says that step five is recorded; with it step five runs.
demo_recorded() { within make demo | tee "$place/demo" && grep -q '^RECORDED, not run here: ' "$place/demo"; }
demo_live() { within make deps demo | tee "$place/demo" && grep -q '^DIVERGE ' "$place/demo" && ! grep -q '^RECORDED' "$place/demo"; }
installed() { within make install PREFIX=/opt/regtwin && inside /opt/regtwin/bin/regtwin run vecadd; }

mkdir -p "$place/debs"
[ -d "$place/base" ] || step 'base system' make_base
step 'git and make' make_root
commit=$(git -c safe.directory='*' log -1 --format=%h 2>/dev/null || echo HEAD)
git -c safe.directory='*' diff --quiet HEAD -- 2>/dev/null || echo "bare-check $suite: found changes that are not committed: what is checked is $commit, without them"
step clone clone && passed+=("clone of $commit,")
step make within make && passed+=('make,')
step 'make demo' demo_recorded && passed+=('make demo,')
result=
if [ "$parts" = all ]; then
  step 'make install' installed && passed+=('make install,')
  step 'make deps demo' demo_live && passed+=('make demo with Verilator,')
  step 'make test' within make test && passed+=('make test,')
  result=" ($(tail -n 1 "$log"))"
fi
all=${passed[*]}
echo "bare-check $suite: passed ${all%,}$result in $((SECONDS - begin)) s"
