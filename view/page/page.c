/* SPDX-License-Identifier: MIT */
#include "view/page/page.h"

#include <stddef.h>

/* The files beside this one become texts of the program. */
#define EMBED(name, file) \
	__asm__(".section .rodata\n" \
		".balign 8\n" #name ":\n" \
		".incbin \"view/page/" file "\"\n" \
		".byte 0\n" \
		".text\n"); \
	extern const char name[] __attribute__((visibility("hidden")))

EMBED(page_style, "style.css");
EMBED(page_body, "body.html");
EMBED(page_format, "format.js");
EMBED(page_source, "source.js");
EMBED(page_lanes, "lanes.js");
EMBED(page_timeline, "timeline.js");
EMBED(page_draw, "timeline_draw.js");
EMBED(page_input, "timeline_input.js");
EMBED(page_flame, "flame.js");
EMBED(page_tables, "tables.js");
EMBED(page_overview, "overview.js");
EMBED(page_panel, "panel.js");
EMBED(page_search, "search.js");
EMBED(page_main, "main.js");
EMBED(page_diff_body, "diff.html");
EMBED(page_diff, "diff.js");

const struct page recording_page = {
	.title = "ktrace-hw",
	.body = page_body,
	.scripts = { page_format, page_source, page_lanes, page_timeline,
		     page_draw, page_input, page_flame, page_tables,
		     page_overview, page_panel, page_search, page_main },
};

const struct page diff_page = {
	.title = "ktrace-hw diff",
	.body = page_diff_body,
	.scripts = { page_format, page_tables, page_diff },
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
