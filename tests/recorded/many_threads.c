/* SPDX-License-Identifier: MIT */
/* Starts many threads. Each sleeps on a semaphore of its own and then wakes the
 * next one. All of them live at once.
 *
 *	many_threads THREADS
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t *turns;
static uintptr_t threads;

static void *pass_on(void *argument)
{
	uintptr_t number = (uintptr_t)argument;

	sem_wait(&turns[number]);
	if (number + 1 < threads)
		sem_post(&turns[number + 1]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *started;
	pthread_attr_t small;

	threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	turns = calloc(threads, sizeof(*turns));
	started = calloc(threads, sizeof(*started));
	if (!turns || !started || pthread_attr_init(&small) ||
	    pthread_attr_setstacksize(&small, 64 << 10))
		return 1;
	for (uintptr_t i = 0; i < threads; i++)
		if (sem_init(&turns[i], 0, 0) ||
		    pthread_create(&started[i], &small, pass_on, (void *)i)) {
			perror("many_threads");
			return 1;
		}
	sem_post(&turns[0]);
	for (uintptr_t i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	return 0;
}
