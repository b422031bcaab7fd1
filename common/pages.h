/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PAGES_H
#define KT_COMMON_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Gives the whole pages of @bytes from @from up to @to back to the system: those
 * of a file that is mapped are fetched again when they are touched, what was
 * written there or elsewhere is zero then.
 *
 * Returns where to go on from the next time: a little before @to, as its page
 * stays.
 */
size_t pages_release(const uint8_t *bytes, size_t from, size_t to);

#endif
