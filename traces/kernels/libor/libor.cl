/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libor: Monte Carlo valuation of a portfolio of swaptions in the LIBOR market model (Brace, Gatarek, Musiela
 * 1997; log-Euler steps as in Glasserman, "Monte Carlo Methods in Financial Engineering", section 3.7). A
 * work item follows four paths, one in each component of a float4: RATES forward rates of periods of DELTA
 * years, of which the first STEPS expire one by one, each step driven by one normal variate a path. Rates
 * live in the work item's private memory, since they are indexed by loops. Then the discount factors and
 * annuities of the rates left, and every swaption's payoff, discounted.
 */
#define STEPS 16
#define RATES 32
#define SWAPTIONS 15
#define DELTA 0.25f
#define GROUP 64
#pragma OPENCL FP_CONTRACT OFF

static inline float4 fma4(float4 a, float4 b, float4 c) {
  float4 r = {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y), fma(a.z, b.z, c.z), fma(a.w, b.w, c.w)};
  return r;
}
static inline float4 exp4(float4 a) {
  float4 r = {native_exp(a.x), native_exp(a.y), native_exp(a.z), native_exp(a.w)};
  return r;
}
static inline float4 recip4(float4 a) {
  float4 r = {recip_rn(a.x), recip_rn(a.y), recip_rn(a.z), recip_rn(a.w)};
  return r;
}
static inline float4 loss4(float4 a) {
  float4 r = {fmin(a.x, 0.0f), fmin(a.y, 0.0f), fmin(a.z, 0.0f), fmin(a.w, 0.0f)};
  return r;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void libor(
    __global const float4 *restrict normal, __global const float *restrict volatility,
    __global const int *restrict maturity, __global const float *restrict strike,
    __global float4 *restrict value, float start, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float4 rate[RATES];
#pragma clang loop unroll(disable)
  for (int k = 0; k < RATES; k++) rate[k] = start;

#pragma clang loop unroll(disable)
  for (int step = 0; step < STEPS; step++) {
    float4 shock = normal[step * n + i] * sqrt(DELTA);
    float4 drift = 0.0f;
#pragma clang loop unroll(disable)
    for (int k = step + 1; k < RATES; k++) {
      float v = volatility[k - step - 1];
      float4 r = rate[k];
      drift = fma4(v * DELTA * r, recip4(fma4(DELTA, r, 1.0f)), drift);
      rate[k] = r * exp4(v * fma4(DELTA, drift, shock - 0.5f * DELTA * v));
    }
  }

  float4 bond[RATES - STEPS], annuity[RATES - STEPS];
  float4 b = 1.0f, a = 0.0f;
#pragma clang loop unroll(disable)
  for (int k = STEPS; k < RATES; k++) {
    b *= recip4(fma4(DELTA, rate[k], 1.0f));
    a = fma4(DELTA, b, a);
    bond[k - STEPS] = b;
    annuity[k - STEPS] = a;
  }
  float4 sum = 0.0f;
#pragma clang loop unroll(disable)
  for (int s = 0; s < SWAPTIONS; s++) {
    int m = maturity[s] - 1;
    sum -= 100.0f * loss4(fma4(strike[s], annuity[m], bond[m]) - 1.0f);
  }
#pragma clang loop unroll(disable)
  for (int k = 0; k < STEPS; k++) sum *= recip4(fma4(DELTA, rate[k], 1.0f));
  value[i] = sum;
}
