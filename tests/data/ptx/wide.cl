// SPDX-License-Identifier: Apache-2.0
// Source of wide_clang.ptx (clang-14 -O2, OpenCL C, as docs/use/launch-files.md says); must load.
typedef float float4 __attribute__((ext_vector_type(4))); typedef double double2 __attribute__((ext_vector_type(2))); typedef uchar uchar4 __attribute__((ext_vector_type(4)));
__constant int t1[4] = {1,2,-3,4};
__constant float tf[2][2] = {{1.0f,2.0f},{3.0f,-4.0f}};
typedef struct { float x,y; int n; char c; double d; } S;
__attribute__((noinline)) float helper(S s, int k) { return s.x*k+s.y+(float)s.d+s.c; }
__attribute__((noinline)) S mk(float a) { S s; s.x=a; s.y=a+1; s.n=3; s.c=2; s.d=a*2; return s; }
__attribute__((noinline)) int cnt(__global int *p, __local int *l, int n) { int r=0; for(int i=0;i<n;i++) r+=p[i]*l[i&3]; return r; }
__kernel void k1(__global float *o, S s, int k, __local float *lm) { uint i=get_global_id(0); lm[get_local_id(0)]=o[i]; barrier(1); S q=mk(lm[get_local_id(0)^1]); o[i]=helper(s,k)+helper(q,t1[i&3])+tf[i&1][k&1]; }
__kernel void k2(__global int *o, int n) { __local int l[4]; l[get_local_id(0)&3]=n; barrier(1); o[0]=cnt(o,l,n); long a=o[1]; a=a*o[2]/n; o[3]=(int)(a%7); __sync_fetch_and_add(o+5,1); ulong u=o[6]; u*=0x123456789UL; o[7]=u>>40; }
__kernel void k3(__global float4 *a, __global uchar4 *c, __global double2 *d, __global short *s, __global half *h) { uint i=get_global_id(0); float4 v=a[i]; a[i]=v.wzyx*2.0f; c[i]=c[i].yxwz; d[i]+=d[i+1]; s[i]=(short)(s[i]*s[i+1]); int arr[9]; for(int k=0;k<9;k++) arr[k]=s[k]; a[0].x=arr[s[i]%9]; }
