// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what a C library needs of the emulated Itanium: threads, signals, unwinding. Prints TAP.
 * Runs on any machine.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripts/tap.h"

#define THREADS	4
#define TURNS	2000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long counted, atomics;
static int turn;
static __thread long own;

/* Each in turn, so that all of them wait for each other. */
static void *count(void *argument)
{
	int me = (int)(intptr_t)argument, i;

	for (i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != me)
			pthread_cond_wait(&cond, &mutex);
		turn = (turn + 1) % THREADS;
		counted++;
		own++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
		__atomic_add_fetch(&atomics, 3, __ATOMIC_SEQ_CST);
	}
	return (void *)own;
}

static int cleaned;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *wait_forever(void *unused)
{
	(void)unused;
	pthread_cleanup_push(clean, NULL);
	pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void test_threads(void)
{
	pthread_t thread[THREADS];
	long sum = 0;
	void *result;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count, (void *)(intptr_t)i);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &result);
		sum += (long)result;
	}
	tap(counted == THREADS * TURNS && atomics == 3 * counted && sum == counted,
	    "threads: %ld turns of %d", counted, THREADS * TURNS);
	pthread_create(&thread[0], NULL, wait_forever, NULL);
	pthread_cancel(thread[0]);
	pthread_join(thread[0], &result);
	tap(result == PTHREAD_CANCELED && cleaned == 1, "a thread that is cancelled cleans up");
}

static sigjmp_buf back;
static volatile sig_atomic_t signals;
static volatile uintptr_t faulted;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	faulted = (uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

/* A frame for each level, so that the handler returns into a register stack that was in memory */
static long recurse(long n)
{
	if (!n) {
		raise(SIGUSR1);
		return 0;
	}
	return recurse(n - 1) + n;
}

static void test_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	signal(SIGUSR1, on_signal);
	tap(recurse(200) == 200 * 201 / 2 && signals == 1, "a signal 200 calls deep");
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		page[5] = 1;
	tap(faulted == (uintptr_t)page + 5, "a fault's address, and a jump out of its handler");
}

int main(void)
{
	test_threads();
	test_signals();
	return tap_done();
}
