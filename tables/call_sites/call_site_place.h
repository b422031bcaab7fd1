/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_PLACE_H
#define KT_TABLES_CALL_SITE_PLACE_H

#include "tables/call_sites/call_site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_frame;
struct sideband_user_state;
struct symbols;

/* Sets the instruction of @site to that at @address.  All functions here use
 * the maps of site->pid at site->first_ns.
 */
void call_site_locate(struct call_site *site, const struct symbols *symbols,
		      uint64_t address);

/* The same for the system call that returns to @address: its instruction lies
 * before that.
 */
void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address);

/* The same with where the kernel returns to, once the purpose is known: an
 * instruction that faults is run again.
 */
void call_site_locate_return(struct call_site *site,
			     const struct symbols *symbols, uint64_t address);

/* Sets *@depth, that of a function of the kernel in @frames, to the depth of
 * the one with which user space was left: on arm64, what an exception is for
 * is known further inside.  Returns false if it was not seen.
 */
bool call_site_find_entry(const struct symbols *symbols,
			  const struct path_frame *frames, uint32_t *depth);

/* Sets the caller of @site, and its function and offset to the named function's
 * (struct call_site): the user code that is traced lies in @frames below the
 * entry at @depth.
 */
void call_site_find_caller(struct call_site *site,
			   const struct symbols *symbols,
			   const struct path_frame *frames, uint32_t depth);

/* Like call_site_find_caller(), with the @count addresses that
 * user_stack_addresses() wrote.
 */
void call_site_find_unwound(struct call_site *site,
			    const struct symbols *symbols,
			    const uint64_t *addresses, size_t count);

/* Returns where the kernel returns to by the registers of a sample; false if
 * it has none.
 */
bool call_site_read_return(const struct sideband_user_state *user,
			   const struct symbols *symbols, uint64_t *address);

#endif
