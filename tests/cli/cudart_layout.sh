#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Our declarations of the CUDA runtime against those of its headers, where these are installed: offsets and sizes of structures, numbers
# of attributes and errors. They are of one version (13); what properties.c asserts holds for the others.
# needs: host
. "$(dirname "$0")/../lib.sh"

include=${CUDA_HOME:-/usr/local/cuda}/include
version=$(sed -n 's/^#define CUDART_VERSION *//p' "$include/cuda_runtime_api.h" 2>/dev/null)
skip_unless 'layouts as in the headers of CUDA' "no headers of CUDA in $include" test -n "$version"
case $version in 11*) ours=11000 ;; 12*) ours=12000 ;; *) ours=13000 ;; esac

# The members of a structure as we have it: header, type. A macro's and a union's do not occur in them.
members() {
  gcc -E -P -Icmodel -DCUDART_VERSION=$ours "cmodel/host/cudart/$1" |
    awk -v type="$2" '{ text = text $0 " " }
      END {
        end = match(text, "} " type ";")
        text = substr(text, 1, end - 1)
        while ((i = index(text, "typedef struct"))) text = substr(text, i + 14)
        gsub(/\[[^]]*\]/, "", text)
        n = split(substr(text, index(text, "{") + 1), part, /[;,]/)
        for (i = 1; i <= n; i++) {
          m = split(part[i], word, /[ *]+/)
          while (m && word[m] == "") m--
          if (m) print word[m]
        }
      }'
}

types="properties.h:cudaDeviceProp graph_types.h:cudaKernelNodeParams graph_types.h:cudaMemsetParams graph_types.h:cudaHostNodeParams
  graph_types.h:cudaMemcpyNodeParams graph_types.h:cudaGraphEdgeData graph_types.h:cudaGraphInstantiateParams
  graph_types.h:cudaGraphExecUpdateResultInfo copy3d.h:cudaMemcpy3DParms copy3d.h:cudaMemcpy3DPeerParms managed.h:cudaMemLocation
  pointer_about.h:cudaPointerAttributes texture_types.h:cudaChannelFormatDesc texture_types.h:cudaResourceDesc texture_types.h:cudaResourceViewDesc
  texture_types.h:cudaTextureDesc types.h:cudaFuncAttributes types.h:cudaPitchedPtr types.h:cudaExtent types.h:cudaPos"
{
  cat <<'EOF'
static void print(const char *what, size_t value) { printf("%s %zu\n", what, value); }
int main() {
EOF
  for t in $types; do
    name=${t#*:}
    echo "print(\"$name\", sizeof(struct_$name));"
    for m in $(members "${t%:*}" "$name"); do
      echo "print(\"$name.$m\", offsetof(struct_$name, $m));"
    done
  done
  # Of the unions in them
  for m in array linear linear.devPtr linear.desc linear.sizeInBytes pitch2D.desc pitch2D.width pitch2D.height pitch2D.pitchInBytes; do
    echo "print(\"cudaResourceDesc.res.$m\", offsetof(struct_cudaResourceDesc, res.$m));"
  done
  echo 'print("cudaGraphNodeParams", sizeof(struct_cudaGraphNodeParams));'
  for m in type kernel memcpy memset host eventWait.event eventRecord.event reserved2; do
    echo "print(\"cudaGraphNodeParams.$m\", offsetof(struct_cudaGraphNodeParams, $m));"
  done
  echo '}'
} >"$tmp/body"
{
  printf '#include <stdio.h>\n#include <stddef.h>\n'
  for t in $types; do echo "#include \"host/cudart/${t%:*}\""; done
  for t in $types :cudaGraphNodeParams; do echo "typedef ${t#*:} struct_${t#*:};"; done
  cat "$tmp/body"
} >"$tmp/ours.c"
{
  printf '#include <stdio.h>\n#include <stddef.h>\n#include <cuda_runtime_api.h>\n'
  for t in $types :cudaGraphNodeParams; do
    case $t in *Data | *InstantiateParams | *ResultInfo) tag= ;; *) tag=struct ;; esac # the headers have these as typedefs only
    echo "typedef $tag ${t#*:} struct_${t#*:};"
  done
  cat "$tmp/body"
} >"$tmp/theirs.c"
check 'our structures compile' gcc -DCUDART_VERSION=$ours -Icmodel "$tmp/ours.c" -o "$tmp/ours"
check 'those of the headers have the same members' gcc -I"$include" "$tmp/theirs.c" -o "$tmp/theirs"
"$tmp/ours" >"$tmp/ours.txt"
"$tmp/theirs" >"$tmp/theirs.txt"
same "offsets and sizes are those of CUDA $version" "$tmp/ours.txt" "$tmp/theirs.txt"
equal 'members compared' "$(($(wc -l <"$tmp/ours.txt") > 150))" 1

cat >"$tmp/numbers.c" <<'EOF'
#include <cuda_runtime_api.h>
#define A(number, name, value) _Static_assert(cudaDevAttr##name == (number), #name);
#include "host/cudart/attributes.def"
#define ERROR(number, name, text) _Static_assert(cudaError##name == (number), #name);
#include "host/cudart/errors.def"
EOF
if [ $ours = 13000 ]; then check 'numbers of attributes and errors' gcc -I"$include" -Icmodel -c "$tmp/numbers.c" -o "$tmp/numbers.o"; fi

# Nothing is missing.
sed -nE 's/^ *cudaDevAttr([A-Za-z0-9]+) *= *([0-9]+),.*/\2 \1/p' "$include/driver_types.h" | grep -v ' Max$' | sort -n >"$tmp/want"
sed -nE 's/^A\(([0-9]+), ([A-Za-z0-9]+),.*/\1 \2/p' cmodel/host/cudart/attributes.def | sort -n >"$tmp/found"
if [ $ours = 13000 ]; then same 'all attributes are there' "$tmp/want" "$tmp/found"; fi
sed -nE 's/^ *cudaError([A-Za-z0-9]+) *= *([0-9]+),?.*/\2 \1/p' "$include/driver_types.h" | grep -v ApiFailureBase | sort -n >"$tmp/want"
sed -nE 's/^ERROR\(([0-9]+), ([A-Za-z0-9]+),.*/\1 \2/p' cmodel/host/cudart/errors.def | sort -n >"$tmp/found"
if [ $ours = 13000 ]; then same 'all errors are there' "$tmp/want" "$tmp/found"; fi
