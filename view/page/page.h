/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_PAGE_H
#define KT_VIEW_PAGE_H

#include <stdio.h>

enum { PAGE_SCRIPTS = 12 };

struct page {
	const char *title;
	const char *body;		   /* HTML */
	const char *scripts[PAGE_SCRIPTS]; /* NULL behind the last */
};

/* A recording, from all of it down to single calls. */
extern const struct page recording_page;
/* This is what diff found. */
extern const struct page diff_page;

/* Writes @page, whole in itself: its scripts and styles run by @nonce, which
 * the policy that it is sent with must name.  @write_data, or NULL, writes the
 * JSON that a page in a file has in place of a server; then the page states the
 * policy itself.
 */
void page_write(FILE *out, const struct page *page, const char *nonce,
		void (*write_data)(FILE *out, void *ctx), void *ctx);

#endif
