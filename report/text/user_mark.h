/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_USER_MARK_H
#define KT_REPORT_USER_MARK_H

struct function;

/* Returns the mark after the name of @function in texts: "" for the kernel's,
 * "  [u]" for a program's. The loop in which an interpreter executes a program
 * that it does not compile is "  [u, interpreter of Python]": its callers and
 * callees are the program's, but the program's functions are not known.
 */
const char *user_mark(const struct function *function);

#endif
