# SPDX-License-Identifier: Apache-2.0
# bash completion for regtwin

# The papers that this program knows, as its message says.
_regtwin_papers() { regtwin list kernels --paper '?' 2>&1 | sed -n "s/.*found '?', expected //p" | tr -d ,; }

_regtwin() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'run resume host list config analyze bench characterize quality tune compare experiment bottleneck map cost combine sweep results trace --help --version' -- "$cur")
    return
  fi
  case $prev in
    --config | -c) words=$(regtwin list configs --names 2>/dev/null) ;;
    --system | -s | --against) words=$(regtwin list systems --names 2>/dev/null) ;;
    --systems) words=$(regtwin list systems --names=compare 2>/dev/null) ;;
    --sort) words="$(regtwin list relaxations --names 2>/dev/null)" ;;
    --relax) words="none $(regtwin list relaxations --names 2>/dev/null)" ;;
    --measures) words=$(regtwin list measures --names 2>/dev/null) ;;
    --x | --y) if [ "$command" = compare ]; then words=$(regtwin list measures --names 2>/dev/null)
      else words=$(regtwin config --explain 2>/dev/null | sed -n 's/^\([a-z0-9]*\.[a-z_0-9]*\) .*/\1=/p'); fi ;;
    --measure) words=$(regtwin list measures --names 2>/dev/null) ;;
    --state) words='waiting running done failed lost refused' ;;
    --rows) words='kernels systems' ;;
    --executor) words='local slurm' ;;
    --node) words='45 40 32 28' ;;
    --set | -S) words=$(regtwin config --explain 2>/dev/null | sed -n 's/^\([a-z0-9]*\.[a-z_0-9]*\) .*/\1=/p') ;;
    --explain) words=$(regtwin config --explain 2>/dev/null | sed -n 's/^\([a-z0-9]*\.[a-z_0-9]*\) .*/\1/p') ;;
    --paper) words=$(_regtwin_papers) ;;
    --size) words='small default inference' ;;
    --metric) words='exact deviation ssim' ;;
    --bounds) words='strict lenient' ;;
    --time) words='all none' ;;
    *)
      case $command in
        run) words='--brief --config --system --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --per-sm --per-launch --size --json --seed --functional --races --dumps --images --timeline --plot --checkpoint --checkpoint-file --help' ;;
        resume) words='--checkpoint --any-owner --threads --config --system --set --sms --watch-sm --roi --max-cycles --max-ctas --partial --help' ;;
        host) words='--config --system --set --sms --json --time --bounds --help -- ' ;;
        list) words='kernels systems configs statistics measures experiments resources relaxations blocks lockstep ptx --paper --limits --names --verbose --markdown --json --config --system --set --help' ;;
        config) words='--explain --dump --config --system --set --help' ;;
        analyze) words='--cfg --config --system --set --dot --intervals --kernel --launch --live --map --picture --ranges --read-profile --registers --regs --reuse --size --slices --strands --widths --write-cfg --write-profile --help' ;;
        characterize) words='all --config --system --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --plots --markdown --groups --help' ;;
        quality) words='--metric --seed --size --help' ;;
        tune) words='--quality --metric --seeds --size --jobs --output --help' ;;
        compare) words="all $(_regtwin_papers) --systems --measures --all --brief --x --y --config --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --csv --plot --plots --markdown --same-work --db --jobs --help" ;;
        experiment) words="$(_regtwin_papers) all --list --config --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --plots --markdown --jobs --db --help $(regtwin list experiments --names 2>/dev/null)" ;;
        bottleneck) words="all $(_regtwin_papers) --relax --brief --sort --top --config --system --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --plot --jobs --db --help" ;;
        map) words="all $(_regtwin_papers) --x --y --against --config --system --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --plot --jobs --db --help" ;;
        cost) words="$(regtwin list systems --names 2>/dev/null) --brief --node --papers --memories --config --set --json --help" ;;
        combine) words="$(regtwin list systems --names 2>/dev/null) --run --config --set --sms --watch-sm --threads --roi --max-cycles --max-ctas --partial --size --json --jobs --db --help" ;;
        sweep) words='--db --jobs --executor --status --retry --spool --bundle --task --help' ;;
        results) words='list show diff csv html --db --kernel --system --config --size --state --program --campaign --output --measure --base --ratio --rows --launches --all --title --help' ;;
        trace) words='record info dump import export -o --size --seed --functional --values --json --launch --cta --warp --limit --opcodes --xz --verify --config --system --set --sms --threads --help' ;;
        bench) words='--config --system --set --size --json --help' ;;
      esac
      case $command in
        run | analyze | characterize | quality | tune | compare | bottleneck | map | trace) words+=" $(regtwin list kernels --names 2>/dev/null)" ;;
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [ ${#COMPREPLY[@]} -eq 0 ]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _regtwin regtwin
