/* SPDX-License-Identifier: MIT */
/* Two processes of one program that take turns, 100 each: process "alpha" calls
 * only alpha_turn(), process "beta" only beta_turn(). So each call shows
 * whether it has the right task.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 100 };

static volatile unsigned int sink;

__attribute__((noinline)) static void alpha_turn(void)
{
	for (unsigned int i = 0; i < 10; i++)
		sink += i;
}

__attribute__((noinline)) static void beta_turn(void)
{
	for (unsigned int i = 0; i < 10; i++)
		sink ^= i;
}

static void take_turns(const char *name, void (*turn)(void), int from, int to)
{
	char token;

	prctl(PR_SET_NAME, name);
	for (int i = 0; i < TURNS; i++) {
		if (read(from, &token, 1) != 1)
			exit(1);
		turn();
		if (write(to, &token, 1) != 1)
			exit(1);
	}
	exit(0);
}

int main(void)
{
	int to_alpha[2];
	int to_beta[2];
	int status = 0;

	if (pipe(to_alpha) < 0 || pipe(to_beta) < 0 ||
	    write(to_alpha[1], "x", 1) != 1)
		return 1;
	if (!fork())
		take_turns("alpha", alpha_turn, to_alpha[0], to_beta[1]);
	if (!fork())
		take_turns("beta", beta_turn, to_beta[0], to_alpha[1]);
	for (int i = 0; i < 2; i++)
		if (wait(&status) < 0 || status)
			return 1;
	return 0;
}
