/* SPDX-License-Identifier: Apache-2.0 */
/* values: VALUES(f, prefix, (a, b, c)) is f(prefix, a) f(prefix, b) f(prefix, c), for at most eight: the names of an ENUM key. */
#ifndef RT_CONFIG_VALUES_H
#define RT_CONFIG_VALUES_H

#define VALUES(f, p, list) VALUES_OF(f, p, VALUES_BARE list)
#define VALUES_OF(...) VALUES_COUNTED(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)(__VA_ARGS__)
#define VALUES_BARE(...) __VA_ARGS__
#define VALUES_COUNTED(f, p, a, b, c, d, e, g, h, i, n, ...) VALUES_##n
#define VALUES_1(f, p, a) f(p, a)
#define VALUES_2(f, p, a, ...) f(p, a) VALUES_1(f, p, __VA_ARGS__)
#define VALUES_3(f, p, a, ...) f(p, a) VALUES_2(f, p, __VA_ARGS__)
#define VALUES_4(f, p, a, ...) f(p, a) VALUES_3(f, p, __VA_ARGS__)
#define VALUES_5(f, p, a, ...) f(p, a) VALUES_4(f, p, __VA_ARGS__)
#define VALUES_6(f, p, a, ...) f(p, a) VALUES_5(f, p, __VA_ARGS__)
#define VALUES_7(f, p, a, ...) f(p, a) VALUES_6(f, p, __VA_ARGS__)
#define VALUES_8(f, p, a, ...) f(p, a) VALUES_7(f, p, __VA_ARGS__)

#endif
