/* SPDX-License-Identifier: MIT */
/* Many suites in one program, which runs the suite whose name it is called by:
 * with sanitizers each suite would take long to link by itself. The Makefile
 * lists them as SUITE(name), and compiles each with a main() of its own name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) int main_of_##name(void);
#include ALL_SUITES
#undef SUITE

static const struct {
	const char *name;
	int (*run)(void);
} suites[] = {
#define SUITE(name) { #name, main_of_##name },
#include ALL_SUITES
};

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : "";
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		if (!strcmp(name, suites[i].name))
			return suites[i].run();
	}
	fprintf(stderr, "there is no suite '%s' in here\n", name);
	return EXIT_FAILURE;
}
