/* SPDX-License-Identifier: MIT */
/* Books 8 orders and is slower than it should be: see ../tutorial.md.
 *
 *	cc -O1 -g -o ledger ledger.c
 *	./ledger FOLDER
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDERS = 8 };

static int open_in(const char *folder, const char *name)
{
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (file < 0) {
		perror(path);
		exit(1);
	}
	return file;
}

static void put(int file, const char *text, off_t place)
{
	if (pwrite(file, text, strlen(text), place) < 0) {
		perror("ledger");
		exit(1);
	}
}

__attribute__((noinline)) static unsigned int check_order(unsigned int order)
{
	unsigned int sum = order;

	for (unsigned int i = 0; i < 20000; i++)
		sum = sum * 31 + i;
	return sum;
}

__attribute__((noinline)) static void book(int ledger, unsigned int order)
{
	char line[40];

	snprintf(line, sizeof(line), "%08u %08x\n", order, check_order(order));
	put(ledger, line, order * (off_t)strlen(line));
}

__attribute__((noinline)) static void note_progress(int progress,
						    unsigned int order)
{
	char line[40];

	snprintf(line, sizeof(line), "%8u of %8u\n", order + 1, ORDERS);
	put(progress, line, 0);
	fsync(progress);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : ".";
	int ledger = open_in(folder, "ledger");
	int progress = open_in(folder, "progress");

	for (unsigned int i = 0; i < ORDERS; i++) {
		book(ledger, i);
		note_progress(progress, i);
	}
	fsync(ledger);
	return 0;
}
