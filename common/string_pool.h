/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_STRING_POOL_H
#define KT_COMMON_STRING_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Maps names to numbers: equal texts get equal numbers, counted from 0. */
struct string_pool;

/* Returns NULL when out of memory. */
struct string_pool *string_pool_new(void);
void string_pool_free(struct string_pool *pool);

/* Returned in place of a number when out of memory. */
#define STRING_POOL_NONE UINT32_MAX

/* Returns the number of the @length bytes at @text (no NUL needed), adding
 * them if they are new; STRING_POOL_NONE when out of memory.
 */
uint32_t string_pool_add(struct string_pool *pool, const char *text,
			 size_t length);

/* Returns the text of @number, which the pool assigned. Owner: the pool. */
const char *string_pool_text(const struct string_pool *pool, uint32_t number);

/* Returns how many different texts there are. */
uint32_t string_pool_count(const struct string_pool *pool);

#endif
