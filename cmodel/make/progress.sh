# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Progress of long work. progress WHAT [PATTERN [TOTAL [FIRST]]]: reads the output of a command, counts its steps (the lines that match PATTERN;
# without one make's "  CC file"; TOTAL: how many there will be) and shows the last one: on a terminal in one rewritten line, elsewhere as
# a line at the first one and each 30 seconds (PROGRESS_SECONDS). FIRST: what the command does before its first step.
progress() {
  local what=$1 pattern=${2:-'^  [A-Z]+ '} total=${3:-0} first=${4:-no step has ended yet} line step='' n=0 of='' from=$SECONDS last=$SECONDS tty='' status
  [ ! -t 2 ] || tty=1
  while :; do
    status=0
    IFS= read -r -t 5 line || status=$?
    if [ $status -eq 0 ]; then
      if [[ $line =~ $pattern ]]; then
        n=$((n + 1)) step=${line#  } of=
        if [ $n -le "$total" ]; then of=" of $total"; fi
        if [ -n "$tty" ]; then printf '\r\033[K%s: [%d%s] %s' "$what" $n "$of" "${step:0:60}" >&2
        elif [ $n -eq 1 ]; then echo "$what ..." >&2; fi
      fi
    elif [ $status -le 128 ]; then
      break
    fi
    if [ -z "$tty" ] && [ $((SECONDS - last)) -ge "${PROGRESS_SECONDS:-30}" ]; then
      last=$SECONDS
      if [ $n -eq 0 ]; then echo "$what: $first, $((last - from)) s" >&2 && continue; fi
      echo "$what: $n$of steps in $((last - from)) s${step:+, now ${step:0:90}}" >&2
    fi
  done
  [ -z "$tty" ] || printf '\r\033[K' >&2
}

# doing TEXT: what is done now, for work that prints little: on a terminal in one rewritten line, elsewhere a line each 30 seconds with
# how long it has been doing it. doing '' ends that.
doing_pid='' doing_file=''
doing() {
  if [ -t 2 ]; then printf '\r\033[K%s' "${1:0:78}" >&2; return; fi
  if [ -z "$1" ]; then
    [ -z "$doing_pid" ] || { kill "$doing_pid" && wait "$doing_pid"; } 2>/dev/null
    [ -z "$doing_file" ] || rm -f "$doing_file"
    doing_pid='' doing_file=''
    return 0
  fi
  if [ -z "$doing_pid" ]; then
    doing_file=$(mktemp)
    # It reads from a pipe that nobody writes, since a sleep would outlive it.
    { exec 9<> <(:); was='' since=$SECONDS
      until read -r -t 30 -u 9 _; do
        kill -0 $$ 2>/dev/null || exit
        now=$(cat "$doing_file")
        [ "$now" = "$was" ] || since=$((SECONDS - 30))
        was=$now
        printf '%s, %d s\n' "$now" $((SECONDS - since)) >&2
      done; } &
    doing_pid=$!
  fi
  printf '%s' "$1" >"$doing_file"
}
