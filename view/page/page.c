/* SPDX-License-Identifier: MIT */
#include "view/page/page.h"

#include "common/embed.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool view_token_make(struct view_token *token)
{
	uint8_t bytes[sizeof(token->text) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token->text + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

bool view_token_fits(const struct view_token *token, const char *text)
{
	size_t length = strlen(token->text);
	unsigned char differs = 0;

	if (strnlen(text, length) < length)
		return false;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)(text[i] ^ token->text[i]);
	return !differs && (!text[length] || text[length] == '/');
}

/* Embeds the files beside this one as strings. */
EMBED(page_style, "view/page/style.css");
EMBED(page_body, "view/page/body.html");
EMBED(page_format, "view/page/format.js");
EMBED(page_theme, "view/page/theme.js");
EMBED(page_source, "view/page/source.js");
EMBED(page_tracks, "view/page/tracks.js");
EMBED(page_timeline, "view/page/timeline.js");
EMBED(page_draw, "view/page/timeline_draw.js");
EMBED(page_input, "view/page/timeline_input.js");
EMBED(page_flame, "view/page/flame.js");
EMBED(page_function, "view/page/function.js");
EMBED(page_tables, "view/page/tables.js");
EMBED(page_explain, "view/page/explain.js");
EMBED(page_overview, "view/page/overview.js");
EMBED(page_panel, "view/page/panel.js");
EMBED(page_search, "view/page/search.js");
EMBED(page_address, "view/page/address.js");
EMBED(page_main, "view/page/main.js");
EMBED(page_diff_body, "view/page/diff.html");
EMBED(page_diff, "view/page/diff.js");

const struct page recording_page = {
	.title = "ktrace-hw",
	.body = page_body,
	.scripts = { page_format, page_theme, page_source, page_tracks,
		     page_timeline, page_draw, page_input, page_flame,
		     page_function, page_tables, page_explain, page_overview,
		     page_panel, page_search, page_address, page_main },
};

const struct page diff_page = {
	.title = "ktrace-hw diff",
	.body = page_diff_body,
	.scripts = { page_format, page_theme, page_tables, page_diff },
};

static void write_policy(FILE *out, const char *nonce)
{
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; script-src 'nonce-%s'; "
		"style-src 'nonce-%s'; base-uri 'none'; form-action 'none'\">\n",
		nonce, nonce);
}

void page_write(FILE *out, const struct page *page, const char *nonce,
		void (*write_data)(FILE *out, void *ctx), void *ctx)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n",
	      out);
	if (write_data)
		write_policy(out, nonce);
	fprintf(out,
		"<title>%s</title>\n<style nonce=\"%s\">\n%s"
		"</style>\n</head>\n<body>\n%s",
		page->title, nonce, page_style, page->body);
	if (write_data) {
		fputs("<script type=\"application/json\" id=\"data\">", out);
		write_data(out, ctx);
		fputs("</script>\n", out);
	}
	fprintf(out, "<script nonce=\"%s\">\n\"use strict\";\n", nonce);
	for (size_t i = 0; i < PAGE_SCRIPTS && page->scripts[i]; i++)
		fputs(page->scripts[i], out);
	fputs("</script>\n</body>\n</html>\n", out);
}
