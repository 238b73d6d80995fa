/* SPDX-License-Identifier: Apache-2.0 */
/* lab/report/colour: a system has the same colour in every picture; neighbouring colours are distinguishable, also with
 * colour blindness. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "lab/campaign/plan.h"
#include "lab/report/colour.h"

static void one_in_every_company(void **state) {
  (void)state;
  const char *name[128];
  char rgb[128][COLOUR_TEXT], alone[1][COLOUR_TEXT];
  unsigned n = 0;
  for (const struct config_name *s = config_systems(); s->name; s++) name[n++] = s->name;
  for (unsigned i = 0; i < plan_ninfos; i++) name[n++] = plan_infos[i].name;
  name[n++] = "FineReg:finereg.acrf_bytes=98304";
  name[n++] = "mine";
  colours_assign(name, n, rgb);
  for (unsigned i = 0; i < n; i++) {
    if (i + 2 < n) {
      colours_assign(&name[i], 1, alone);
      if (strcmp(alone[0], rgb[i])) fail_msg("%s: %s alone, %s among all", name[i], alone[0], rgb[i]);
    }
    for (unsigned j = 0; j < i; j++)
      if (!strcmp(rgb[i], rgb[j])) fail_msg("%s and %s: both %s", name[i], name[j], rgb[i]);
  }
}

static void unknown_ones_take_none_of_a_known_one(void **state) {
  (void)state;
  const char *const name[] = {"mine", "FineReg", "yours", "VT", "FineReg"};
  char rgb[5][COLOUR_TEXT], finereg[1][COLOUR_TEXT];
  colours_assign(name, 5, rgb);
  colours_assign(&name[1], 1, finereg);
  assert_string_equal(rgb[1], finereg[0]);
  for (unsigned i = 0; i < 5; i++)
    for (unsigned j = 0; j < i; j++) assert_string_not_equal(rgb[i], rgb[j]);
}

static void more_than_there_are(void **state) {
  (void)state;
  char text[100][8];
  const char *name[100];
  char rgb[100][COLOUR_TEXT];
  for (unsigned i = 0; i < 100; i++) {
    snprintf(text[i], sizeof text[i], "s%u", i);
    name[i] = text[i];
  }
  colours_assign(name, 100, rgb);
  for (unsigned i = 0; i < 100; i++) assert_int_equal(strlen(rgb[i]), 7);
}

/* A variant of a system has the system's colour where it is alone, or has the fewest settings; else a shade of its own. */
static void variants_are_shades(void **state) {
  (void)state;
  static const char *const name[] = {"LTRF:a=7:b=1", "LTRF:a=7", "LB", "LB:a=1", "CERF:a=1"};
  enum { N = sizeof name / sizeof *name };
  static const char *const own[] = {"LTRF", "LB", "CERF"};
  char rgb[N][COLOUR_TEXT], plain[3][COLOUR_TEXT];
  colours_assign(name, N, rgb);
  colours_assign(own, 3, plain);
  assert_string_equal(rgb[1], plain[0]);
  assert_string_equal(rgb[2], plain[1]);
  assert_string_equal(rgb[4], plain[2]);
  assert_string_not_equal(rgb[0], plain[0]);
  assert_string_not_equal(rgb[3], plain[1]);
}

/* Systems in the order of their lines, a variant with its system; names without a line after them, as they came. */
static void one_order(void **state) {
  (void)state;
  static const char *const name[] = {"yours", "LTRF+", "mine", "LB:a=1", "VT", "LTRF", "LB", "baseline"};
  static const char *const sorted[] = {"baseline", "VT", "LB:a=1", "LB", "LTRF", "LTRF+", "yours", "mine"};
  enum { N = sizeof name / sizeof *name };
  unsigned order[N];
  colours_order(name, N, order);
  for (unsigned i = 0; i < N; i++) assert_string_equal(name[order[i]], sorted[i]);
  colours_order((const char *const[]){"mean", "least", "most"}, 3, order);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(order[i], i);
}

/* CIE L*a*b* of "#rrggbb", seen without one kind of cones (Machado et al. 2009, severity 1), or with all. */
static const double eyes[3][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};

static double bent(double t) { return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116; }

static void lab_of(const char *rgb, const double eye[3][3], double out[3]) {
  unsigned v;
  double lin[3], seen[3];
  assert_int_equal(sscanf(rgb, "#%6x", &v), 1);
  for (unsigned i = 0; i < 3; i++) {
    double c = (v >> (16 - 8 * i) & 255) / 255.0;
    lin[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
  for (unsigned i = 0; i < 3; i++)
    seen[i] = fmin(1, fmax(0, eye[i][0] * lin[0] + eye[i][1] * lin[1] + eye[i][2] * lin[2]));
  double x = bent((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
  double y = bent(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
  double z = bent((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
  out[0] = 116 * y - 16, out[1] = 500 * (x - y), out[2] = 200 * (y - z);
}

static void told_apart(void **state) {
  (void)state;
  enum { LEAST = 12 }; /* 2.3 is just noticeable */
  static const char *const picture[][8] = {
      {"FR-Base", "Sched-1.5", "Sched-2", "Mem-1.5", "Mem-2", "Both-1.5", "Both-2"},
      {"FR-Base", "VT", "Reg+DRAM", "VT+RegMutex", "FineReg"},
      {"FR-Base", "VT", "Reg+DRAM", "FineReg", "FR-Ideal"},
      {"FR-Base", "UM", "VT+UM", "FineReg", "FineReg+UM"},
      {"SL-Orig", "SL-ArtOcc", "SL-Int", "SL-Float-P", "SL-Float-H", "SL-Full-P", "SL-Full-H"},
      {"SL-Orig", "SL-WB0", "SL-WB2", "SL-WB4", "SL-WB8", "SL-Full-P"},
      {"BL", "RFC", "SHRF", "LTRF-strand", "LTRF", "LTRF+", "Ideal"},
      {"LB", "LB:linebacker.interval=1", "LB:linebacker.across=off"},
      {"FineReg:a=1", "FineReg:a=2", "FineReg:a=3", "FineReg:a=4", "FineReg:a=5"},
      {"BL:a=2", "BL:a=3", "BL:a=4", "BL:a=5", "BL:a=6", "BL:a=7", "Ideal"},
  };
  for (unsigned p = 0; p < sizeof picture / sizeof *picture; p++)
    for (unsigned eye = 0; eye < 3; eye++) {
      char rgb[8][COLOUR_TEXT];
      unsigned n = 0;
      while (n < 8 && picture[p][n]) n++;
      colours_assign(picture[p], n, rgb);
      for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < i; j++) {
          double a[3], b[3];
          lab_of(rgb[i], eyes[eye], a);
          lab_of(rgb[j], eyes[eye], b);
          double far = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
          if (far < LEAST) fail_msg("%s and %s, eye %u: %.1f apart", picture[p][i], picture[p][j], eye, far);
        }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_in_every_company),
      cmocka_unit_test(unknown_ones_take_none_of_a_known_one),
      cmocka_unit_test(more_than_there_are),
      cmocka_unit_test(variants_are_shades),
      cmocka_unit_test(one_order),
      cmocka_unit_test(told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
