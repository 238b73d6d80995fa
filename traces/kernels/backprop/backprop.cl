/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backprop: a round of learning (Rumelhart, Hinton and Williams 1986) in a network of n inputs, 16 hidden
 * units and one output, logistic units, momentum. Three launches:
 *   forward   16 inputs times their weights to the 16 hidden units, one product per work item of a 16 x 16
 *             group; a shared-memory tree sums over the inputs, one part per group and hidden unit
 *   middle    one group: sums the parts, hidden units, output, both errors, the weights of the output
 *   adjust    changes the weights between input and hidden units, one per work item
 * The rate and the momentum of `adjust` are doubles, as in the original. n is a multiple of 16.
 */
#define H 16

__kernel __attribute__((reqd_work_group_size(H, H, 1))) void forward(__global const float *restrict in,
                                                                     __global const float *restrict weight,
                                                                     __global float *restrict part) {
  __local float node[H], product[H][H];
  uint tx = get_local_id(0), ty = get_local_id(1), g = get_group_id(0);
  if (tx == 0) node[ty] = in[g * H + ty];
  barrier(CLK_LOCAL_MEM_FENCE);
  product[ty][tx] = weight[(g * H + ty) * H + tx] * node[ty];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma nounroll
  for (uint span = H / 2; span > 0; span >>= 1) {
    if (ty < span) product[ty][tx] += product[ty + span][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (ty == 0) part[g * H + tx] = product[0][tx];
}

OWN_FN float logistic(float x) { return recip_rn(1.0f + native_exp(-x)); }

__kernel __attribute__((reqd_work_group_size(H, H, 1))) void middle(
    __global const float *restrict part, __global const float *restrict bias, __global float *restrict hidden,
    __global float *restrict delta, __global float *restrict out_weight, __global float *restrict output,
    uint groups, float target, float rate) {
  __local float sum[H][H], toward[H], error;
  uint tx = get_local_id(0), ty = get_local_id(1);
  float s = 0.0f;
#pragma nounroll
  for (uint g = ty; g < groups; g += H) s += part[g * H + tx];
  sum[ty][tx] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma nounroll
  for (uint span = H / 2; span > 0; span >>= 1) {
    if (ty < span) sum[ty][tx] += sum[ty + span][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float h = 0.0f, w = 0.0f;
  if (ty == 0) {
    h = logistic(sum[0][tx] + bias[tx]);
    w = out_weight[tx];
    hidden[tx] = h;
    toward[tx] = w * h;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ty == 0 && tx == 0) {
    float net = bias[H];
#pragma nounroll
    for (uint j = 0; j < H; j++) net += toward[j];
    float o = logistic(net);
    output[0] = o;
    error = o * (1.0f - o) * (target - o);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ty == 0) {
    delta[tx] = h * (1.0f - h) * (w * error);
    out_weight[tx] = fma(rate * error, h, w);
  }
}

__kernel __attribute__((reqd_work_group_size(H, H, 1))) void adjust(__global const float *restrict in,
                                                                    __global const float *restrict delta,
                                                                    __global float *restrict weight,
                                                                    __global float *restrict change) {
  const double rate = 0.3, momentum = 0.3;
  uint tx = get_local_id(0), row = get_group_id(0) * H + get_local_id(1), i = row * H + tx;
  double c = __builtin_fma(rate * delta[tx], in[row], momentum * change[i]);
  weight[i] += c;
  change[i] = c;
}
