/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CONTAINER_OF_H
#define KT_COMMON_CONTAINER_OF_H

#include <stddef.h>

/* Returns the struct @type whose field @member @pointer, not const, points to:
 * callbacks find by it what they are part of.
 */
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer)-offsetof(type, member)))

#endif
