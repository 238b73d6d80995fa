/* SPDX-License-Identifier: Apache-2.0 */
/*
 * montecarlo: European call options by Monte Carlo under geometric Brownian motion, one option a group. All
 * options share one array of normal variates; a work item takes a strided share of them, adds up payoffs and
 * their squares, and a tree in shared memory adds the shares. Gives the mean and the half width of its 95 %
 * confidence interval, both discounted.
 */
#define GROUP 256
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void montecarlo(
    __global const float *restrict spot, __global const float *restrict strike,
    __global const float *restrict years, __global const float *restrict normal,
    __global float *restrict mean, __global float *restrict width, float interest, float volatility,
    uint paths) {
  __local float s[GROUP], s2[GROUP];
  uint t = get_local_id(0), option = get_group_id(0);
  float price = spot[option], limit = strike[option], time = years[option];
  float drift = fma(-0.5f * volatility, volatility, interest) * time, spread = volatility * sqrt(time);

  float sum = 0.0f, sum2 = 0.0f;
#pragma clang loop unroll(disable)
  for (uint i = t; i < paths; i += GROUP) {
    float payoff = fmax(fma(price, native_exp(fma(spread, normal[i], drift)), -limit), 0.0f);
    sum += payoff;
    sum2 = fma(payoff, payoff, sum2);
  }
  s[t] = sum;
  s2[t] = sum2;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) {
      s[t] += s[t + span];
      s2[t] += s2[t + span];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    float n = paths, now = native_exp(-interest * time), m = div_rn(s[0], n);
    float variance = fmax(fma(-m, m, div_rn(s2[0], n)), 0.0f);
    mean[option] = now * m;
    width[option] = now * 1.96f * sqrt(div_rn(variance, n));
  }
}
