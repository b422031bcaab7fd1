/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BRACKETS_H
#define KT_COMMON_BRACKETS_H

#include <stddef.h>

/* Returns how the character at @at of @name, a name of C++ or Rust, changes the
 * depth of brackets: 1, -1 or 0. The ">" of "->" and "=>" closes none.
 */
static inline int brackets_change(const char *name, size_t at)
{
	switch (name[at]) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
		return at && (name[at - 1] == '-' || name[at - 1] == '=') ? 0 :
									    -1;
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

#endif
