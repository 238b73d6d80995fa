// SPDX-License-Identifier: Apache-2.0
// Texture objects: linear memory, pitched rows, arrays of one to three dimensions, layers, cubes, levels, gathers; every value
// against formulas of the programming guide, computed here. The weights of filters have 8 bits of fraction.
#include "../cuda/common.h"

// ---- the reference ----

enum { WRAP, CLAMP, MIRROR, BORDER };
struct image {
  const float *texel;
  int n[3];  // of each axis
};
struct sampling {
  int address[3];
  bool linear, normalized;
  float border;
};

// The place along one axis: false, it is outside of an image with a border.
static bool place(int i, int n, int mode, int *out) {
  int k;
  switch (mode) {
    case WRAP: *out = ((i % n) + n) % n; return true;
    case MIRROR:
      k = ((i % (2 * n)) + 2 * n) % (2 * n);
      *out = k < n ? k : 2 * n - 1 - k;
      return true;
    case CLAMP: *out = i < 0 ? 0 : i >= n ? n - 1 : i; return true;
  }
  *out = i;
  return i >= 0 && i < n;
}

static float texel(const image &m, const sampling &s, const int *i) {
  int at[3];
  for (int a = 0; a < 3; a++)
    if (!place(i[a], m.n[a], s.address[a], &at[a])) return s.border;
  return m.texel[(at[2] * m.n[1] + at[1]) * m.n[0] + at[0]];
}

// An axis of one texel that the fetch does not have: axes < 3.
static double sample(const image &m, const sampling &s, int axes, const float *coordinate) {
  int first[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  for (int a = 0; a < axes; a++) {
    double x = coordinate[a];
    if (s.normalized && s.address[a] == WRAP) x = x - floor(x);
    if (s.normalized && s.address[a] == MIRROR) {
      double f = x - floor(x);
      x = fmod(floor(x), 2) == 0 ? f : 1 - f;
    }
    if (s.normalized) x *= m.n[a];
    if (s.linear) x -= 0.5;
    first[a] = (int)floor(x);
    if (s.linear) weight[a] = floor((x - floor(x)) * 256 + 0.5) / 256;
  }
  double sum = 0;
  for (int corner = 0; corner < 8; corner++) {
    double w = 1;
    int i[3];
    for (int a = 0; a < 3; a++) {
      int up = corner >> a & 1;
      w *= up ? weight[a] : 1 - weight[a];
      i[a] = first[a] + up;
    }
    if (w != 0) sum += w * texel(m, s, i);
  }
  return sum;
}

static bool same_bits(float a, float b) { return !memcmp(&a, &b, sizeof a); }

// ---- objects ----

static cudaTextureObject_t object(const cudaResourceDesc &r, const sampling &s, cudaTextureReadMode read) {
  cudaTextureDesc d = {};
  for (int a = 0; a < 3; a++) d.addressMode[a] = (cudaTextureAddressMode)s.address[a];
  d.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.readMode = read;
  d.normalizedCoords = s.normalized;
  for (int k = 0; k < 4; k++) d.borderColor[k] = s.border;
  d.mipmapFilterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.maxMipmapLevelClamp = 100;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  return t;
}
static cudaResourceDesc of_array(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}

template <class T>
struct buffer {  // on the device and here
  T *at;
  size_t n;
  explicit buffer(size_t count) : n(count) { CHECK(cudaMalloc(&at, n * sizeof(T))); }
  ~buffer() { cudaFree(at); }
  T *get() {
    T *p = (T *)malloc(n * sizeof(T));
    CHECK(cudaMemcpy(p, at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return p;
  }
};

static const char *what;
static void compare(const char *name, const float *got, const float *want, int n) {
  int wrong = 0, first = -1;
  for (int i = 0; i < n; i++)
    if (!same_bits(got[i], want[i])) {
      if (!wrong++) first = i;
    }
  if (wrong)
    printf("%s %s: %d of %d differ, first %d: found %.9g, expected %.9g\n", what, name, wrong, n, first, got[first],
           want[first]);
  failures += wrong != 0;
}

// Coordinates around the image, some far outside, some between texels.
static float coordinate(int n, bool normalized) {
  float x = (random_float() * 3 - 1) * (float)n;
  if (random_int() % 8 == 0) x = floorf(x);
  return normalized ? x / (float)n : x;
}

// ---- one, two and three dimensions ----

__global__ void fetch(cudaTextureObject_t t, int axes, const float *x, float *out, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float *c = x + 3 * i;
  out[i] = axes == 1   ? tex1D<float>(t, c[0])
           : axes == 2 ? tex2D<float>(t, c[0], c[1])
                       : tex3D<float>(t, c[0], c[1], c[2]);
}

static void check_fetch(const char *name, cudaTextureObject_t t, const image &m, const sampling &s, int axes) {
  enum { N = 512 };
  static float x[3 * N], want[N];
  buffer<float> points(3 * N), out(N);
  for (int i = 0; i < N; i++) {
    for (int a = 0; a < 3; a++) x[3 * i + a] = coordinate(m.n[a], s.normalized);
    want[i] = (float)sample(m, s, axes, x + 3 * i);
  }
  CHECK(cudaMemcpy(points.at, x, sizeof x, cudaMemcpyHostToDevice));
  fetch<<<N / 64, 64>>>(t, axes, points.at, out.at, N);
  CHECK(cudaGetLastError());
  float *got = out.get();
  compare(name, got, want, N);
  free(got);
}

static void arrays() {
  static float texels[13 * 7 * 5];
  for (unsigned i = 0; i < sizeof texels / sizeof *texels; i++) texels[i] = random_float() * 100 - 50;
  for (int axes = 1; axes <= 3; axes++) {
    image m = {texels, {13, axes > 1 ? 7 : 1, axes > 2 ? 5 : 1}};
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(13, axes > 1 ? 7 : 0, axes > 2 ? 5 : 0)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(texels, 13 * sizeof(float), 13, m.n[1]);
    p.dstArray = a;
    p.extent = make_cudaExtent(13, m.n[1], m.n[2]);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    for (int mode = 0; mode < 4; mode++)
      for (int how = 0; how < 4; how++) {
        if (!(how & 1) && (mode == WRAP || mode == MIRROR)) continue;  // they need normalized coordinates
        sampling s = {{mode, mode, mode}, (how & 2) != 0, (how & 1) != 0, 7.5f};
        cudaTextureObject_t t = object(of_array(a), s, cudaReadModeElementType);
        static char name[80];
        snprintf(name, sizeof name, "%dD, mode %d, %s, %s", axes, mode, s.linear ? "linear" : "point",
                 s.normalized ? "normalized" : "texels");
        check_fetch(name, t, m, s, axes);
        CHECK(cudaDestroyTextureObject(t));
      }
    CHECK(cudaFreeArray(a));
  }
}

// ---- linear memory and rows with a pitch ----

__global__ void fetch_linear(cudaTextureObject_t t, int4 *out) {
  int i = (int)threadIdx.x;
  out[i] = tex1Dfetch<int4>(t, i * 3 - 20);
}

static void linear_memory() {
  enum { N = 50, THREADS = 64 };
  int4 in[N];
  for (int i = 0; i < N; i++) in[i] = make_int4((int)random_int(), -(int)random_int(), i, -i);
  buffer<int4> memory(N), out(THREADS);
  CHECK(cudaMemcpy(memory.at, in, sizeof in, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory.at;
  r.res.linear.desc = cudaCreateChannelDesc<int4>();
  r.res.linear.sizeInBytes = sizeof in;
  cudaTextureObject_t t = object(r, sampling{}, cudaReadModeElementType);
  fetch_linear<<<1, THREADS>>>(t, out.at);
  CHECK(cudaGetLastError());
  int4 *got = out.get();
  for (int i = 0; i < THREADS; i++) {  // outside: zeros
    int k = i * 3 - 20;
    int4 want = k >= 0 && k < N ? in[k] : make_int4(0, 0, 0, 0);
    EXPECT(!memcmp(&want, &got[i], sizeof want));
  }
  free(got);
  CHECK(cudaDestroyTextureObject(t));
}

__global__ void fetch_bytes(cudaTextureObject_t t, float4 *out, int w) {
  out[blockIdx.x * (unsigned)w + threadIdx.x] = tex2D<float4>(t, (float)threadIdx.x * 0.75f, (float)blockIdx.x * 1.25f);
}

// Bytes as floats from 0 to 1, filtered.
static void pitched() {
  enum { W = 31, H = 9 };
  static uchar4 in[W * H];
  static float channel[4][W * H];
  for (int i = 0; i < W * H; i++) {
    unsigned v = random_int();
    in[i] = make_uchar4(v & 255, v >> 8 & 255, v >> 16 & 255, (v >> 3) & 255);
    const unsigned char c[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
    for (int k = 0; k < 4; k++) channel[k][i] = (float)c[k] / 255.0f;
  }
  uchar4 *rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, W * sizeof(uchar4), H));
  CHECK(cudaMemcpy2D(rows, pitch, in, W * sizeof(uchar4), W * sizeof(uchar4), H, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = rows;
  r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  r.res.pitch2D.width = W;
  r.res.pitch2D.height = H;
  r.res.pitch2D.pitchInBytes = pitch;
  sampling s = {{CLAMP, CLAMP, CLAMP}, true, false, 0};
  cudaTextureObject_t t = object(r, s, cudaReadModeNormalizedFloat);
  buffer<float4> out(W * H);
  fetch_bytes<<<H, W>>>(t, out.at, W);
  CHECK(cudaGetLastError());
  float4 *got = out.get();
  for (int i = 0; i < W * H; i++) {
    float c[2] = {(float)(i % W) * 0.75f, (float)(i / W) * 1.25f};
    float want[4];
    for (int k = 0; k < 4; k++) want[k] = (float)sample(image{channel[k], {W, H, 1}}, s, 2, c);
    EXPECT(!memcmp(want, &got[i], sizeof want));
  }
  free(got);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFree(rows));
}

// ---- a table of one row, as programs make them for transfer functions: a two-dimensional array of height 1 ----

static void one_row() {
  float table[17];
  for (int i = 0; i < 17; i++) table[i] = random_float();
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  CHECK(cudaMallocArray(&a, &d, 17, 1));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, table, sizeof table, sizeof table, 1, cudaMemcpyHostToDevice));
  sampling s = {{CLAMP, CLAMP, CLAMP}, true, true, 0};
  cudaTextureObject_t t = object(of_array(a), s, cudaReadModeElementType);
  check_fetch("1-D of one row", t, image{table, {17, 1, 1}}, s, 1);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(a));
}

// ---- layers, cubes ----

__global__ void fetch_layers(cudaTextureObject_t t, float *out, int w, int h) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x;
  out[(z * h + y) * w + x] = tex2DLayered<float>(t, (float)x + 0.5f, (float)y + 0.5f, z);
}

static cudaArray_t filled(const float *in, int w, int h, int n, unsigned flags) {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, n), flags));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr((void *)in, w * sizeof(float), w, h);
  p.dstArray = a;
  p.extent = make_cudaExtent(w, h, n);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  return a;
}

static void layers() {
  enum { W = 12, H = 10, N = 5 };
  static float in[W * H * N];
  for (int i = 0; i < W * H * N; i++) in[i] = random_float();
  cudaArray_t a = filled(in, W, H, N, cudaArrayLayered);
  cudaTextureObject_t t = object(of_array(a), sampling{}, cudaReadModeElementType);
  buffer<float> out(W * H * N);
  fetch_layers<<<N, dim3(W, H)>>>(t, out.at, W, H);
  CHECK(cudaGetLastError());
  float *got = out.get();
  compare("layers", got, in, W * H * N);
  free(got);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(a));
}

__global__ void fetch_cube(cudaTextureObject_t t, const float *direction, float *out) {
  const float *d = direction + 3 * threadIdx.x;
  out[threadIdx.x] = texCubemap<float>(t, d[0], d[1], d[2]);
}

static void cubes() {
  enum { SIDE = 8, N = 256 };
  static float in[6 * SIDE * SIDE], direction[3 * N], want[N];
  for (int i = 0; i < 6 * SIDE * SIDE; i++) in[i] = (float)i;
  cudaArray_t a = filled(in, SIDE, SIDE, 6, cudaArrayCubemap);
  for (int i = 0; i < N; i++) {
    float *d = direction + 3 * i;
    for (int k = 0; k < 3; k++) d[k] = random_float() * 2 - 1;
    double x = d[0], y = d[1], z = d[2], m, s, u;
    int face;
    if (fabs(z) >= fabs(x) && fabs(z) >= fabs(y)) face = z < 0 ? 5 : 4, m = fabs(z), s = z < 0 ? -x : x, u = -y;
    else if (fabs(y) >= fabs(x)) face = y < 0 ? 3 : 2, m = fabs(y), s = x, u = y < 0 ? -z : z;
    else face = x < 0 ? 1 : 0, m = fabs(x), s = x < 0 ? z : -z, u = -y;
    int px = (int)floor((s / m + 1) / 2 * SIDE), py = (int)floor((u / m + 1) / 2 * SIDE);
    px = px < SIDE ? px : SIDE - 1;
    py = py < SIDE ? py : SIDE - 1;
    want[i] = in[(face * SIDE + py) * SIDE + px];
  }
  sampling s = {{CLAMP, CLAMP, CLAMP}, false, true, 0};
  cudaTextureObject_t t = object(of_array(a), s, cudaReadModeElementType);
  buffer<float> points(3 * N), out(N);
  CHECK(cudaMemcpy(points.at, direction, sizeof direction, cudaMemcpyHostToDevice));
  fetch_cube<<<1, N>>>(t, points.at, out.at);
  CHECK(cudaGetLastError());
  float *got = out.get();
  compare("cube", got, want, N);
  free(got);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(a));
}

// ---- levels ----

__global__ void fetch_level(cudaTextureObject_t t, const float *x, float *out) {
  const float *c = x + 3 * threadIdx.x;
  out[threadIdx.x] = tex2DLod<float>(t, c[0], c[1], c[2]);
}

static void levels() {
  enum { SIDE = 16, LEVELS = 5, N = 256 };
  static float in[LEVELS][SIDE * SIDE], x[3 * N], want[N];
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CHECK(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(SIDE, SIDE, 0), LEVELS));
  for (int l = 0; l < LEVELS; l++) {
    size_t n = SIDE >> l;
    cudaArray_t a;
    for (size_t i = 0; i < n * n; i++) in[l][i] = random_float() + (float)l;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, l));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, in[l], n * sizeof(float), n * sizeof(float), n, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = m;
  sampling s = {{WRAP, WRAP, WRAP}, true, true, 0};
  cudaTextureObject_t t = object(r, s, cudaReadModeElementType);
  for (int i = 0; i < N; i++) {
    float *c = x + 3 * i;
    c[0] = random_float() * 2 - 0.5f;
    c[1] = random_float() * 2 - 0.5f;
    c[2] = random_float() * 6 - 1;
    double level = c[2] < 0 ? 0 : c[2] > LEVELS - 1 ? LEVELS - 1 : c[2];
    int l = (int)floor(level);
    double w = floor((level - l) * 256 + 0.5) / 256, sum = 0;
    for (int k = 0; k < 2; k++) {
      double part = k ? w : 1 - w;
      int n = SIDE >> (l + k);
      if (part != 0) sum += part * sample(image{in[l + k], {n, n, 1}}, s, 2, c);
    }
    want[i] = (float)sum;
  }
  buffer<float> points(3 * N), out(N);
  CHECK(cudaMemcpy(points.at, x, sizeof x, cudaMemcpyHostToDevice));
  fetch_level<<<1, N>>>(t, points.at, out.at);
  CHECK(cudaGetLastError());
  float *got = out.get();
  compare("levels", got, want, N);
  free(got);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeMipmappedArray(m));
}

// ---- gathers ----

__global__ void gather(cudaTextureObject_t t, float4 *out) {
  float x = (float)threadIdx.x * 0.5f - 1, y = (float)blockIdx.x * 0.75f - 1;
  out[(blockIdx.x * blockDim.x + threadIdx.x) * 2] = tex2Dgather<float4>(t, x, y, 0);
  out[(blockIdx.x * blockDim.x + threadIdx.x) * 2 + 1] = tex2Dgather<float4>(t, x, y, 1);
}

static void gathers() {
  enum { W = 14, H = 6, THREADS = 32, BLOCKS = 10 };
  static float2 in[W * H];
  for (int i = 0; i < W * H; i++) in[i] = make_float2(random_float(), -random_float());
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float2>();
  cudaArray_t a;
  CHECK(cudaMallocArray(&a, &d, W, H, cudaArrayTextureGather));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in / H, sizeof in / H, H, cudaMemcpyHostToDevice));
  sampling s = {{CLAMP, CLAMP, CLAMP}, false, false, 0};
  cudaTextureObject_t t = object(of_array(a), s, cudaReadModeElementType);
  buffer<float4> out(2 * THREADS * BLOCKS);
  gather<<<BLOCKS, THREADS>>>(t, out.at);
  CHECK(cudaGetLastError());
  float4 *got = out.get();
  for (int b = 0; b < BLOCKS; b++)
    for (int k = 0; k < THREADS; k++) {
      int i = (int)floor(k * 0.5 - 1.5), j = (int)floor(b * 0.75 - 1.5);
      float2 v[4];
      static const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
      for (int c = 0; c < 4; c++) {
        int px, py;
        place(i + dx[c], W, CLAMP, &px);
        place(j + dy[c], H, CLAMP, &py);
        v[c] = in[py * W + px];
      }
      const float4 *g = got + 2 * (b * THREADS + k);
      EXPECT(same_bits(g[0].x, v[0].x) && same_bits(g[0].y, v[1].x) && same_bits(g[0].z, v[2].x) &&
             same_bits(g[0].w, v[3].x));
      EXPECT(same_bits(g[1].x, v[0].y) && same_bits(g[1].y, v[1].y) && same_bits(g[1].z, v[2].y) &&
             same_bits(g[1].w, v[3].y));
    }
  free(got);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(a));
}

// ---- handles that the threads find in memory, each another one ----

__global__ void choose(const cudaTextureObject_t *t, int n, float *out) {
  int i = (int)threadIdx.x;
  out[i] = tex1Dfetch<float>(t[i % n], i);
}

static void handles() {
  enum { N = 5, SIZE = 64 };
  static float in[N][SIZE], want[SIZE];
  cudaTextureObject_t t[N];
  buffer<float> memory(N * SIZE), out(SIZE);
  buffer<cudaTextureObject_t> list(N);
  for (int k = 0; k < N; k++) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory.at + k * SIZE;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof in[k];
    t[k] = object(r, sampling{}, cudaReadModeElementType);
    for (int i = 0; i < SIZE; i++) in[k][i] = random_float();
  }
  for (int i = 0; i < SIZE; i++) want[i] = in[i % N][i];
  CHECK(cudaMemcpy(memory.at, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(list.at, t, sizeof t, cudaMemcpyHostToDevice));
  choose<<<1, SIZE>>>(list.at, N, out.at);
  CHECK(cudaGetLastError());
  float *got = out.get();
  compare("", got, want, SIZE);
  free(got);
  for (auto h : t) CHECK(cudaDestroyTextureObject(h));
}

int main() {
  static const struct {
    const char *name;
    void (*run)();
  } parts[] = {{"arrays", arrays},   {"linear memory", linear_memory},
               {"pitched", pitched}, {"one row", one_row},
               {"layers", layers},   {"cubes", cubes},
               {"levels", levels},   {"gathers", gathers},
               {"handles", handles}};
  for (const auto &p : parts) {
    int before = failures;
    what = p.name;
    p.run();
    printf("%s: %s\n", p.name, failures == before ? "as the reference" : "DIFFERS");
  }
  return done("textures");
}
