/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_LIMIT = 64 << 20 };

/* Runs one fuzz entry over the files named, for builds without libFuzzer. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		uint8_t *bytes = malloc(INPUT_LIMIT);

		if (!file || !bytes) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return EXIT_FAILURE;
		}

		size_t size = fread(bytes, 1, INPUT_LIMIT, file);

		LLVMFuzzerTestOneInput(bytes, size);
		free(bytes);
		fclose(file);
	}
	return EXIT_SUCCESS;
}
