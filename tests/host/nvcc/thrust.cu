// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms against the C++ library's.
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <algorithm>
#include <numeric>
#include <vector>
#include "../cuda/common.h"

struct square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct above {
  __host__ __device__ bool operator()(float x) const { return x > 0.5f; }
};
struct by_last_digit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

static void integers(size_t n) {
  std::vector<int> w(n), c(n);
  for (size_t i = 0; i < n; i++) w[i] = (int)(random_int() % 10000);
  thrust::device_vector<int> d(w.begin(), w.end()), scanned(n), negative(n);
  EXPECT(thrust::reduce(d.begin(), d.end(), 0L, thrust::plus<long>()) == std::accumulate(w.begin(), w.end(), 0L));
  thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
  std::partial_sum(w.begin(), w.end(), c.begin());
  EXPECT(std::equal(c.begin(), c.end(), thrust::host_vector<int>(scanned).begin()));
  thrust::device_vector<int> stable = d;
  thrust::stable_sort(stable.begin(), stable.end(), by_last_digit());  // merge sort
  c = w;
  std::stable_sort(c.begin(), c.end(), by_last_digit());
  EXPECT(std::equal(c.begin(), c.end(), thrust::host_vector<int>(stable).begin()));
  thrust::sort(d.begin(), d.end());  // radix sort
  std::sort(w.begin(), w.end());
  EXPECT(std::equal(w.begin(), w.end(), thrust::host_vector<int>(d).begin()));
  thrust::transform(d.begin(), d.end(), negative.begin(), thrust::negate<int>());
  thrust::host_vector<int> h = negative;
  EXPECT(h[0] == -w[0] && h[n - 1] == -w[n - 1]);
  EXPECT(thrust::unique(d.begin(), d.end()) - d.begin() == std::unique(w.begin(), w.end()) - w.begin());
}

static void floats(size_t n) {
  thrust::host_vector<float> h(n);
  double squares = 0;
  for (size_t i = 0; i < n; i++) h[i] = random_float() - 0.25f, squares += (double)h[i] * (double)h[i];
  thrust::device_vector<float> d = h;
  float q = thrust::transform_reduce(d.begin(), d.end(), square(), 0.0f, thrust::plus<float>());
  EXPECT(near(q, (float)squares));
  EXPECT(thrust::count_if(d.begin(), d.end(), above()) == std::count_if(h.begin(), h.end(), above()));
  EXPECT(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin());
  thrust::device_vector<int> index(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>((int)n));
  thrust::sort_by_key(d.begin(), d.end(), index.begin());
  thrust::host_vector<int> order = index;
  int wrong = 0;
  for (size_t i = 1; i < n; i++) wrong += h[(size_t)order[i - 1]] > h[(size_t)order[i]];
  EXPECT(wrong == 0);
}

int main() {
  integers(3000);
  floats(2000);
  return done("thrust");
}
