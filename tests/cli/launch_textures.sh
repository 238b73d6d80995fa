#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Textures, surfaces and samplers of launch files: images over buffers and arrays, PNG files, names of references, handles, what the
# host reads and writes, swaps, each executed with and without time. Values: tests/unit/texture_values_test.c. Errors: tests/data/bad/launch.txt.
. "$(dirname "$0")/../lib.sh"

cat >"$tmp/x.ptx" <<'END'
.version 7.0
.target sm_75, texmode_independent
.address_size 64
.global .texref pic;
.global .samplerref how = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge, filter_mode = nearest };
.global .surfref dst;
// out[y * 8 + x] = texel (x, y) of pic
.visible .entry named(.param .u64 out)
{
  .reg .b32 %r<6>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f1, %f1, 0f3F000000;
  add.f32 %f2, %f2, 0f3F000000;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [pic, how, {%f1, %f2}];
  mad.lo.u32 %r3, %r2, 8, %r1;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f4;
  ret;
}
// surface at (x, y) = 100 * (y * 8 + x), by name
.visible .entry draw()
{
  .reg .b32 %r<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mad.lo.u32 %r3, %r2, 8, %r1;
  mul.lo.u32 %r4, %r3, 100;
  shl.b32 %r5, %r1, 2;
  sust.b.2d.b32.trap [dst, {%r5, %r2}], {%r4};
  ret;
}
END
cat >"$tmp/y.ptx" <<'END'
.version 7.0
.target sm_75
.address_size 64
// s at (x, y) = t at (x, y)
.visible .entry copy(.param .u64 t, .param .u64 s)
{
  .reg .b32 %r<10>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [t];
  ld.param.u64 %rd2, [s];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1, %r2}];
  shl.b32 %r8, %r1, 2;
  sust.b.2d.b32.trap [%rd2, {%r8, %r2}], {%r4};
  ret;
}
.visible .entry lin(.param .u64 t, .param .u64 out)
{
  .reg .b32 %r<10>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [t];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1}];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
}
.visible .entry param(.param .texref t, .param .u64 out)
{
  .reg .b32 %r<10>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [t, {%r1}];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
}
.visible .entry table(.param .u64 tab, .param .u64 out)
{
  .reg .b32 %r<10>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [tab];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd3, %r2, 8;
  add.u64 %rd5, %rd1, %rd3;
  ld.global.u64 %rd6, [%rd5];
  tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd6, {%r1}];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
}
END

says() {   # name, status, words of the message (or ""), PTX, lines of the launch file...
  local name=$1 want=$2 words=$3 status mode
  printf '%s\n' "ptx $4" "${@:5}" >"$tmp/x.launch"
  for mode in --functional --set=sim.check=true; do
    (cd "$tmp" && "$regtwin" run x.launch $mode --images . >out 2>err)
    status=$?
    if [ $status -eq "$want" ] && grep -qF -- "$words" "$tmp/err" /dev/null ||
      { [ $status -eq "$want" ] && [ -z "$words" ] && [ ! -s "$tmp/err" ]; }; then ok "$name ($mode)"
    else not_ok "$name ($mode)" "status $status, expected $want and: $words" "$(head -n 3 "$tmp/err")"; fi
  done
}

# ---- references by name
named='launch named grid 1 block (8, 8) args(out)'
in=('buffer in f32 64 iota 1 0.5' 'buffer out f32 64 zero')
says 'a texture of a name, a sampler as its initialiser says' 0 '' x.ptx "${in[@]}" \
  'texture pic from in format r32f size (8, 8) array' "$named" 'expect out expr in[i]'
says 'bound anew, in a loop' 0 '' x.ptx "${in[@]}" 'repeat 3 as k {' 'fill in expr i * k' \
  'texture pic from in format r32f size (8, 8) array' "$named" 'expect out expr i * k' '}'
says 'an array is a buffer for the host' 0 '' x.ptx "${in[@]}" 'texture pic from in format r32f size (8, 8) array' \
  'fill pic expr i * 2' 'set pic[9] = 7' "$named" 'expect out expr i == 9 ? 7 : i * 2' 'expect in expr 1 + 0.5 * i'
says 'a texture over a buffer is the buffer' 0 '' x.ptx "${in[@]}" 'texture pic from in format r32f size (8, 8)' \
  'set in[63] = 5' "$named" 'expect out expr i == 63 ? 5 : in[i]'
says 'a sampler statement takes the place of the initialiser' 0 '' x.ptx "${in[@]}" 'texture pic from in format r32f size (8, 8) array' \
  'sampler how filter linear wrap clamp coords normalized' "$named" 'expect out[0] 16.75' 'expect out[63] in[63]' # at 0.5: amid four texels
says 'nothing is bound' 2 "x.launch:4:8: error: found nothing bound to 'pic', which the kernel reads as a texture, expected a statement for it before" \
  x.ptx "${in[@]}" "$named"
says 'of another kind' 2 "x.launch:4:9: error: found 'dst', which is a surface in the PTX, expected the statement 'surface' for it" x.ptx \
  "${in[@]}" 'texture dst from in format r32f size (8, 8) array' "$named"
sed 's/texmode_independent/texmode_unified/; s/\.texref pic;/.texref pic = { filter_mode = linear };/; /samplerref/d; s/pic, how/pic/' \
  "$tmp/x.ptx" >"$tmp/u.ptx"
says 'integers of a reference that is linear' 2 "x.launch:4:9: error: found a linear filter for integers (the PTX gives it to the reference)" \
  u.ptx 'buffer in u32 64 zero' 'buffer out f32 64 zero' 'texture pic from in format r32ui size (8, 8)' "$named"
says 'integers for a result of floats' 2 "x.ptx:20:3: error: tex 'pic': found texels of 1 x u32, expected floats or normalised values for a result of floats" \
  x.ptx 'buffer in u32 64 zero' 'buffer out f32 64 zero' 'texture pic from in format r32ui size (8, 8)' "$named"
says 'a surface of a name' 0 '' x.ptx 'buffer px u32 64 fill 3' 'surface dst from px format r32ui size (8, 8) array' \
  'launch draw grid 1 block (8, 8) args()' 'expect dst expr 100 * i' 'expect px expr 3' 'let n = sum(dst)' 'expect dst[2] n / 2016 * 2'
says 'a surface over a buffer' 0 '' x.ptx 'buffer px u32 64 fill 3' 'surface dst from px format r32ui size (8, 8)' \
  'launch draw grid 1 block (8, 8) args()' 'expect px expr 100 * i'
says 'a write beyond a surface' 2 'x.ptx:' x.ptx 'buffer px u32 64 fill 3' 'surface dst from px format r32ui size (8, 4) array' \
  'launch draw grid 1 block (8, 8) args()'

# ---- handles
two=('buffer in u32 64 expr i * i' 'buffer px u32 64 zero' 'buffer out u32 64 zero')
says 'handles of a texture and a surface, pitch-linear' 0 '' y.ptx "${two[@]}" 'texture t from in format r32ui size (8, 8)' \
  'surface s from px format r32ui size (8, 8)' 'launch copy grid 1 block (8, 8) args(t, s)' 'expect px expr i * i'
says 'block-linear, and read back through a texture of the surface' 0 '' y.ptx "${two[@]}" \
  'texture t from in format r32ui size (8, 8) array' 'surface s from px format r32ui size (8, 8) array' 'texture back from s' \
  'surface d from px format r32ui size (8, 8) array' 'launch copy grid 1 block (8, 8) args(t, s)' 'expect s expr i * i' \
  'launch copy grid 1 block (8, 8) args(back, d)' 'expect d expr s[i]' 'expect px expr 0'
says 'swapped' 0 '' y.ptx "${two[@]}" 'texture t from in format r32ui size (8, 8) array' \
  'surface a from px format r32ui size (8, 8) array' 'surface b from px format r32ui size (8, 8) array' \
  'launch copy grid 1 block (8, 8) args(t, a)' 'swap a b' 'expect b expr i * i' 'expect a expr 0' 'fill t zero' \
  'launch copy grid 1 block (8, 8) args(t, b)' 'expect b expr 0'
says 'linear memory, also as a parameter that is a .texref' 0 '' y.ptx "${two[@]}" 'texture l from in format r32ui' \
  'launch lin grid 1 block 64 args(l, out)' 'expect out expr i * i' 'fill out zero' 'launch param grid 1 block 64 args(l, out)' \
  'expect out expr i * i'
says 'a surface where the parameter is a .texref' 2 "x.launch:6:35: error: found a surface, expected a texture for parameter 1 of 'param'" y.ptx \
  "${two[@]}" 'surface s from px format r32ui size (8, 8)' 'launch param grid 1 block 64 args(s, out)'
for what in 'a buffer:in' 'u64:u64:0' 'a number:5' "'local':local 8" 'struct {...}:struct {u64:1}'; do
  says "${what%%:*} where the parameter is a .texref" 2 "x.launch:5:35: error: found ${what%%:*}, expected a texture for parameter 1 of 'param'" \
    y.ptx "${two[@]}" "launch param grid 1 block 64 args(${what#*:}, out)"
done
says 'a table of handles' 0 '' y.ptx "${two[@]}" 'texture l from in format r32ui' 'buffer in2 u32 64 expr i' \
  'texture l2 from in2 format r32ui' 'buffer tab u64 2 data handle(l2) handle(l2)' 'launch table grid 1 block 64 args(tab, out)' \
  'expect out expr i'

# ---- all kinds of arrays hold what they are filled with
run='launch lin grid 1 block 1 args(lin, out)'
some=('let w = 37' 'let h = 21' 'buffer out u32 1 zero' 'buffer one u32 1 zero' 'texture lin from one format r32ui' 'buffer f f32 w * h rand 0 1'
  'buffer b u8 4 * w * h expr i * 7 + i / 5' 'buffer p u32 w * h rand 0 1 << 31' 'buffer hf f16 2 * w * h rand 0 1')
for array in 'f format r32f size (w, h)' 'f format r32f size w * h' 'b format rgba8 size (w, h)' 'b format rgba8 size (7, 5, 17)' \
  'b format bgra8ui size (7, 5) layers 3' 'f format r32f size (4, 4) cube' 'f format r32f size (4, 4) cube layers 2' \
  'b format r8_snorm size (32, 21, 4) levels 3' 'f format r32f size (16, 8) levels 5' 'f format r32f size 16 layers 9 levels 3' \
  'hf format rg16f size (w, h)'; do
  case $array in *snorm*) source=('buffer s s8 4 * w * h expr i * 7') array="s ${array#b }" ;; *) source=() ;; esac
  says "array: $array" 0 '' y.ptx "${some[@]}" "${source[@]}" "texture t from $array array" "surface s2 from t" "$run" \
    "expect t expr ${array%% *}[i]" 'fill t zero' "$run" 'expect t expr 0'
done
says 'packed texels' 0 '' y.ptx "${some[@]}" 'texture t from p format rgba8 size (w, h) array' "$run" \
  'expect t expr p[i / 4] >> i % 4 * 8 & 255' 'dump t t.bin'
equal 'dump writes rows' "$(stat -c %s "$tmp/t.bin")" $((37 * 21 * 4))

# ---- PNG files
says 'image writes what a texture reads' 0 '' y.ptx "${some[@]}" 'surface c from b format rgba8ui size (w, h) array' \
  'buffer g u8 w * h expr i * 3' "$run" 'image c w h rgba c.png' 'image g w h gray g.png'
says 'and reads it' 0 '' y.ptx "${some[@]}" 'buffer g u8 w * h expr i * 3' 'texture c from "c.png" filter linear wrap repeat coords normalized' \
  'texture cf from "c.png" format rgba32f' 'texture cb from "c.png" format bgra8ui' 'texture g1 from "g.png"' 'texture g4 from "g.png" format rgba8' \
  "$run" 'expect c expr b[i]' 'expect cf expr f32(b[i] / 255.0)' 'expect cb expr b[i % 4 == 3 ? i : i / 4 * 4 + 2 - i % 4]' 'expect g1 expr g[i]' \
  'expect g4 expr i % 4 == 3 ? 255 : g[i / 4]'
says 'colours for one channel' 2 "x.launch:11:16: error: found colours in" y.ptx "${some[@]}" 'texture t from "c.png" format r8' "$run"
head -c 100 "$tmp/c.png" >"$tmp/d.png"
says 'a file that ends early' 2 "x.launch:11:16: error: found " y.ptx "${some[@]}" 'texture t from "d.png"' "$run"

# ---- a launch file to begin with names them
for f in x y; do
  "$regtwin" analyze --launch "$tmp/$f.ptx" >"$tmp/begin.launch" 2>"$tmp/err"
  equal "$f.ptx: analyze --launch" $? 0
done
has 'of a parameter that is a .texref' '^texture image[0-9]+ from texels format r32f' "$tmp/begin.launch"
"$regtwin" analyze --launch "$tmp/x.ptx" >"$tmp/begin.launch"
sed -i 's/^let n = 1024/let n = 64/; s/block 256/block (8, 8)/; s/size (32, n \/ 32)/size (8, 8)/; s/u32 n zero/f32 n zero/; s/(n + 255) \/ 256/1/' "$tmp/begin.launch"
check 'of references: it runs' "$regtwin" run --functional "$tmp/begin.launch"
