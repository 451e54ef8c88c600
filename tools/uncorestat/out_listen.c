// SPDX-License-Identifier: GPL-2.0-only
/* --listen: an endpoint for Prometheus */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "report.h"
#include "table.h"
#include "util.h"

/* Scrapers at once, and seconds for a request, and for the answer to it, however they dawdle */
#define MOST_CLIENTS	8
#define REQUEST_TIME	2
#define ANSWER_TIME	10
#define MAX_REQUEST	8192
#define SECOND		UINT64_C(1000000000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *current;
static const char *address;
static bool loopback;
static int listener;

/**
 * struct client - a connection
 * @end:	when it ends, done or not; 0 for a free place
 * @request:	what came of the request, up to @got
 * @answer:	NULL until the request is there; @sent of @size bytes are on their way
 */
static struct client {
	uint64_t end;
	int fd;
	char request[MAX_REQUEST];
	size_t got, sent, size;
	char *answer;
} clients[MOST_CLIENTS];
static unsigned int turned_away;

static void end_client(struct client *c)
{
	turned_away += !c->answer && now_ns() > c->end;
	close(c->fd);
	free(c->answer);
	c->end = 0;
}

/*
 * Return whether a request is for this endpoint. A web page can have a name that leads to loopback,
 * and read as the user's browser what is bound there.
 */
static bool is_host(const char *request)
{
	const char *host = strcasestr(request, "\nHost:"), *colon;
	size_t len;

	if (!loopback || !host)
		return true;
	host += 6 + strspn(host + 6, " \t");
	len = strcspn(host, " \t\r\n");
	colon = memrchr(host, ':', len);
	if (colon && !memchr(colon, ']', host + len - colon))
		len = colon - host;
	return (len == 9 && !strncasecmp(host, "localhost", len)) ||
	       (!strncmp(host, "127.", 4) && strspn(host, "0123456789.") == len) ||
	       (len == 5 && !strncmp(host, "[::1]", len)) ||
	       (len == strlen(address) && !strncmp(host, address, len));
}

static void answer(struct client *c)
{
	bool head = !strncmp(c->request, "HEAD ", 5);
	const char *path = strchr(c->request, ' '), *type = "text/plain";
	const char *status = "404 Not Found", *text = "GET /metrics, after the first interval\n";
	size_t len = path ? strcspn(++path, " ?\r\n") : 0;

	pthread_mutex_lock(&lock);
	if (!is_host(c->request)) {
		status = "403 Forbidden";
		text = "bound to loopback: ask for localhost\n";
	} else if (!head && strncmp(c->request, "GET ", 4)) {
		status = "405 Method Not Allowed\r\nAllow: GET, HEAD";
	} else if (len == 8 && !memcmp(path, "/metrics", len)) {
		/* Nothing has been counted yet: no scrape is better than zeros. */
		status = current ? "200 OK" : "503 Service Unavailable";
		type = current ? "text/plain; version=0.0.4; charset=utf-8" : type;
		text = current ?: text;
	} else if (len == 1 && *path == '/') {
		status = "200 OK";
		type = "text/html";
		text = "<h1>uncorestat</h1><a href=\"/metrics\">Metrics</a>\n";
	}
	c->answer = format("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
			   status, type, strlen(text), head ? "" : text);
	pthread_mutex_unlock(&lock);
	c->size = strlen(c->answer);
	c->end = now_ns() + ANSWER_TIME * SECOND;
}

/* Go on with a connection that is ready; returns false at its end. */
static bool serve(struct client *c)
{
	ssize_t n;

	if (c->answer) {
		n = send(c->fd, c->answer + c->sent, c->size - c->sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		c->sent += n > 0 ? n : 0;
		return (n > 0 || errno == EAGAIN || errno == EINTR) && c->sent < c->size;
	}
	n = recv(c->fd, c->request + c->got, MAX_REQUEST - 1 - c->got, MSG_DONTWAIT);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->got += n;
	/* What has a NUL is a request up to there. */
	if (strstr(c->request, "\r\n\r\n") || strstr(c->request, "\n\n"))
		answer(c);
	return c->got < MAX_REQUEST - 1;
}

/* Take a connection; where there are too many, the oldest one without a request goes. */
static void take_client(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct client *c, *place = NULL;

	if (fd < 0) {
		/* Too many open files: try again later. */
		sleep_ms(100);
		return;
	}
	for (c = clients; c < clients + MOST_CLIENTS; c++)
		if ((!c->end || !c->answer) && (!place || c->end < place->end))
			place = c;
	if (!place) {
		close(fd);
		return;
	}
	if (place->end) {
		place->end = 1;
		end_client(place);
	}
	memset(place, 0, sizeof(*place));
	place->fd = fd;
	place->end = now_ns() + REQUEST_TIME * SECOND;
}

static void *serve_all(void *unused)
{
	struct pollfd files[MOST_CLIENTS + 1];
	uint64_t said = 0;
	struct client *c;
	unsigned int i;

	for (;;) {
		for (i = 0; i < MOST_CLIENTS; i++) {
			c = &clients[i];
			files[i] = (struct pollfd){ .fd = c->end ? c->fd : -1,
						    .events = c->answer ? POLLOUT : POLLIN };
		}
		files[i] = (struct pollfd){ .fd = listener, .events = POLLIN };
		poll(files, MOST_CLIENTS + 1, 500);
		for (i = 0; i < MOST_CLIENTS; i++) {
			c = &clients[i];
			if (c->end && (now_ns() > c->end || (files[i].revents && !serve(c))))
				end_client(c);
		}
		if (files[i].revents)
			take_client();
		if (turned_away && (!said || now_ns() - said > 60 * SECOND)) {
			fprintf(stderr, "uncorestat: --listen: %u connections sent no request in %d s, and were ended\n",
				turned_away, REQUEST_TIME);
			turned_away = 0;
			said = now_ns();
		}
	}
	return unused;
}

static void start(const char *where)
{
	const char *colon = strrchr(where, ':'), *text = colon ? colon + 1 : where;
	char *host = colon ? format("%.*s", (int)(colon - where), where) : "127.0.0.1";
	unsigned long port = text[strspn(text, "0123456789")] ? 0 : strtoul(text, NULL, 10);
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr *any = (struct sockaddr *)&in;
	socklen_t size = sizeof(in);
	pthread_t server;
	int one = 1;

	address = host;
	if (*host == '[' && host[strlen(host) - 1] == ']')
		host = format("%.*s", (int)strlen(host) - 2, host + 1);
	loopback = false;
	if (inet_pton(AF_INET6, host, &in6.sin6_addr) == 1) {
		any = (struct sockaddr *)&in6;
		size = sizeof(in6);
		loopback = IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
	} else if (*host && inet_pton(AF_INET, host, &in.sin_addr) != 1) {
		port = 0;
	} else {
		loopback = ntohl(in.sin_addr.s_addr) >> 24 == 127;
	}
	if (!port || port > 65535)
		die("--listen %s: [ADDRESS:]PORT, both as numbers, the port up to 65535", where);
	listener = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener >= 0)
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, any, size) || listen(listener, MOST_CLIENTS))
		die("--listen %s: %s", where, strerror(errno));
	if (pthread_create(&server, NULL, serve_all, NULL))
		die("--listen %s: no thread for it", where);
}

void out_listen(const struct interval *i)
{
	char *text = i->rates ? prometheus_text(i->rates, i->totals) : NULL;

	if (i->moment == RUN_BEGINS)
		start(i->to);
	if (!text)
		return;
	pthread_mutex_lock(&lock);
	free(current);
	current = text;
	pthread_mutex_unlock(&lock);
}
