/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PAGES_H
#define KT_COMMON_PAGES_H

/* Gives the whole pages from @from up to @to back to the system: those of a file
 * that is mapped are fetched again when they are touched, what was written there
 * or elsewhere is zero then.
 */
void pages_release(const void *from, const void *to);

#endif
