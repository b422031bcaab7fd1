/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_PAGE_PAGE_H
#define KT_VIEW_PAGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

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

enum { PAGE_SCRIPTS = 16 };

struct page {
	const char *title;
	const char *body;		   /* HTML */
	const char *scripts[PAGE_SCRIPTS]; /* NULL after the last */
};

/* The page of a recording, from an overview to single calls. */
extern const struct page recording_page;

/* The page of a comparison by diff. */
extern const struct page diff_page;

/* Writes @page as one self-contained document: its scripts and styles have
 * @nonce, which the Content-Security-Policy of the response must name.
 * @write_data, or NULL, writes the JSON data of a page in a file; such a page
 * contains the policy itself.
 */
void page_write(FILE *out, const struct page *page, const char *nonce,
		void (*write_data)(FILE *out, void *ctx), void *ctx);

#endif
