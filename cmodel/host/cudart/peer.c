/* SPDX-License-Identifier: Apache-2.0 */
/* Access between devices: there is one, which is no peer of its own. */
#include "host/cudart/runtime.h"

static cudaError_t peer_can_access(int *out, int device, int peer) {
  if (!out) return cudaErrorInvalidValue;
  if (device || peer) return cudaErrorInvalidDevice;
  *out = 0;
  return cudaSuccess;
}
API cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer) {
  return RT_CALL(peer_can_access(out, device, peer));
}

static cudaError_t peer_enable(unsigned flags) { return flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice; }
API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer;
  return RT_CALL(peer_enable(flags));
}

static cudaError_t peer_disable(int peer) { return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled; }
API cudaError_t cudaDeviceDisablePeerAccess(int peer) { return RT_CALL(peer_disable(peer)); }

/* Of two devices, which there are not. */
static cudaError_t peer_get_attribute(const int *out) { return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue; }
API cudaError_t cudaDeviceGetP2PAttribute(int *out, int number, int from, int to) {
  (void)number, (void)from, (void)to;
  return RT_CALL(peer_get_attribute(out));
}
