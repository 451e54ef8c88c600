// SPDX-License-Identifier: GPL-2.0-only
/* Terminal handling of --live */
#include "live.h"

#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "live_picture.h"
#include "util.h"

static SCREEN *screen;
static struct picture picture;

static const char * const help[] = {
	"q          quit",
	"h, ?       this help",
	"1 to 9     groups: default mem llc qpi pcie ...",
	"g          next group",
	"n, Tab     next socket, where not all fit",
	"p, space   hold the picture; counting goes on",
	"c          colour on and off",
	"Ctrl-L     draw it all again",
	"Ctrl-Z     back to the shell; fg returns",
};

static void draw_help(void)
{
	int lines = ARRAY_SIZE(help), y = (LINES - lines) / 2 - 1, x = (COLS - 52) / 2, i;

	for (i = -1; i <= lines; i++)
		mvprintw(y + 1 + i, x, "%52s", "");
	draw_line(y, x, 52);
	for (i = 0; i < lines; i++)
		mvprintw(y + 1 + i, x + 2, "%s", help[i]);
	draw_line(y + 1 + lines, x, 52);
}

static void draw_all(void)
{
	erase();
	picture_draw(&picture);
	if (picture.help)
		draw_help();
	refresh();
}

static void end(void);

static void start(const struct machine *m, double interval)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		die("--live needs a terminal");
	/* Not LC_NUMERIC: decimal points in all locales */
	setlocale(LC_CTYPE, "");
	/* A dumb terminal cannot place the cursor. */
	screen = term && !strcmp(term, "dumb") ? NULL : newterm(NULL, stdout, stdin);
	if (!screen)
		die("--live cannot draw on this terminal (TERM=%s)", term ? term : "");
	die_hook = end;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	set_escdelay(50);
	draw_init();
	picture_init(&picture, m, interval);
}

static void resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
}

/* Restore the terminal, stop the process, and continue after SIGCONT. */
static void stop(void)
{
	endwin();
	raise(SIGSTOP);
	resize();
}

static int key(int k)
{
	*picture.said = 0;
	if (k >= '1' && k - '1' < (int)nr_groups)
		return k - '1';
	switch (k) {
	case 'q':
	case 'Q':
		return LIVE_QUIT;
	case 'g':
		picture.wanted = (picture.wanted + 1) % nr_groups;
		return picture.wanted;
	case 'h':
	case '?':
		picture.help = !picture.help;
		break;
	case 'n':
	case '\t':
	case KEY_RIGHT:
		picture_next(&picture);
		break;
	case 'p':
	case ' ':
		picture.held = !picture.held;
		break;
	case 'c':
		draw_toggle_colour();
		break;
	case 'L' - '@':
		clearok(stdscr, TRUE);
		break;
	}
	return LIVE_STAY;
}

void live_say(const char *text)
{
	snprintf(picture.said, sizeof(picture.said), "%s", text);
	draw_all();
}

int live_wake(enum wake wake)
{
	int k, keys = 0, result = LIVE_STAY;

	switch (wake) {
	case WAKE_RESIZE:
		resize();
		break;
	case WAKE_STOP:
		stop();
		break;
	default:
		while (result == LIVE_STAY && (k = getch()) != ERR) {
			keys++;
			result = key(k);
		}
		/* No key although poll() returned: the terminal is gone. */
		if (!keys)
			result = LIVE_QUIT;
	}
	if (result == LIVE_STAY)
		draw_all();
	return result;
}

static void end(void)
{
	die_hook = NULL;
	endwin();
	delscreen(screen);
}

void out_live(const struct interval *i)
{
	if (i->moment == RUN_BEGINS)
		start(i->totals->view->machine, i->origin->interval);
	switch (i->moment) {
	case RUN_BEGINS:
	case VIEW_CHANGES:
		picture_show(&picture, i->totals->view);
		draw_all();
		break;
	case INTERVAL_ENDS:
		picture_add(&picture, i->rates);
		if (!picture.held)
			draw_all();
		break;
	case RUN_ENDS:
		end();
		break;
	default:
		break;
	}
}
