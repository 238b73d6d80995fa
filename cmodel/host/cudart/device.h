/* SPDX-License-Identifier: Apache-2.0 */
/* device: the place of the one device on a bus that does not exist. */
#ifndef RT_CUDART_DEVICE_H
#define RT_CUDART_DEVICE_H

#define RT_PCI_BUS 1
#define RT_PCI_NAME "0000:01:00.0"

#endif
