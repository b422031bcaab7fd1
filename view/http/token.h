/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_TOKEN_H
#define KT_VIEW_TOKEN_H

#include <stdbool.h>

/* 128 bits that nobody can guess, as text. */
struct view_token {
	char text[33];
};

/* Returns whether the kernel gave random bytes for @token. */
bool view_token_make(struct view_token *token);

/* Returns whether @text begins with the token and ends with it or goes on with
 * a slash; the time that this takes does not tell how much of it is right.
 */
bool view_token_fits(const struct view_token *token, const char *text);

#endif
