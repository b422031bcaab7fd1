/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_TOKEN_H
#define KT_VIEW_TOKEN_H

#include <stdbool.h>

/* A random number of 128 bits, as text. */
struct view_token {
	char text[33];
};

/* Returns whether the kernel provided random bytes for @token. */
bool view_token_make(struct view_token *token);

/* Returns whether @text is the token, or starts with the token and a slash. The
 * time does not depend on how much of it is right.
 */
bool view_token_fits(const struct view_token *token, const char *text);

#endif
