# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Progress of long work. progress WHAT [PATTERN]: reads the output of a command, counts its steps (the lines that match PATTERN; without
# one make's "  CC file") and shows the last one: on a terminal in one rewritten line, elsewhere as a line each 30 seconds.
progress() {
  local what=$1 pattern=${2:-'^  [A-Z]+ '} line step='' n=0 from=$SECONDS last=$SECONDS tty='' status
  [ ! -t 2 ] || tty=1
  while :; do
    status=0
    IFS= read -r -t 5 line || status=$?
    if [ $status -eq 0 ]; then
      if [[ $line =~ $pattern ]]; then
        n=$((n + 1)) step=${line#  }
        [ -z "$tty" ] || printf '\r\033[K%s: [%d] %s' "$what" $n "${step:0:70}" >&2
      fi
    elif [ $status -le 128 ]; then
      break
    fi
    if [ -z "$tty" ] && [ $((SECONDS - last)) -ge 30 ]; then
      last=$SECONDS
      echo "$what: $n steps in $((last - from)) s${step:+, now ${step:0:90}}" >&2
    fi
  done
  [ -z "$tty" ] || printf '\r\033[K' >&2
}
