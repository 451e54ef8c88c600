# SPDX-License-Identifier: GPL-2.0-only
"""A terminal with a shell in it, by tmux."""
import os
import re
import subprocess

from fake_pmus import HANGS, wait_for


def normalized(line):
    """A line of capture-pane -e, which differs between versions of tmux: before each word that
    looks other than the one before it, all of its attributes. Knows bold, dim, eight colours."""
    attributes, colour, said, out = set(), None, '0', ''
    for part in re.split('(\033\\[[0-9;]*m| +)', line):
        codes = re.fullmatch('\033\\[([0-9;]*)m', part)
        if codes:
            for code in (codes[1] or '0').split(';'):
                assert re.fullmatch('[012]|22|3[0-79]|49', code), f'unknown attribute {code}'
                if code in ('0', '22'):
                    attributes = set()
                if code in ('1', '2'):
                    attributes.add(code)
                if code == '0' or code.startswith('3'):
                    colour = code if re.fullmatch('3[0-7]', code) else None
        elif part and not part.startswith(' '):
            form = ';'.join(['0', *sorted(attributes), *([colour] if colour else [])])
            if form != said:
                out += f'\033[{form}m'
            said = form
            out += part
        else:
            out += part
    return out.rstrip(' ')


class Terminal:
    """Each has its own server of tmux. The prompt of its shell is "ready"."""

    def __init__(self, socket, width, height, environment, hangs=HANGS):
        self.socket, self.hangs = socket, hangs
        self.environment = {'HOME': '/', 'PATH': os.environ['PATH'], **environment}
        self('new-session', '-d', '-x', width, '-y', height,
             "PS1='ready ' exec bash --norc --noprofile -i")
        self.await_line('^ready$')

    def __call__(self, *command):
        """A command of tmux"""
        done = subprocess.run(['tmux', '-S', self.socket, '-f', '/dev/null', *map(str, command)],
                              check=True, encoding='utf-8', stdout=subprocess.PIPE,
                              env=self.environment | {'LC_ALL': 'C.UTF-8'})
        return done.stdout

    def close(self):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'], check=False,
                       stderr=subprocess.DEVNULL)

    def type(self, line):
        """Type a line, and Enter."""
        self('send-keys', '-l', line)
        self('send-keys', 'Enter')

    def key(self, *keys):
        self('send-keys', *keys)

    def screen(self, colours=False):
        """Its lines; the time of day is HH:MM:SS."""
        text = self('capture-pane', '-p', *(['-e'] if colours else []))
        text = re.sub(r'[0-2]\d:[0-5]\d:[0-5]\d', 'HH:MM:SS', text)
        return ''.join(normalized(line) + '\n' for line in text.splitlines())

    def until(self, condition, colours=False):
        """Wait until the screen is as it should be, and return it."""
        screens = []

        def shown():
            screens[:] = [self.screen(colours)]
            return condition(screens[0])

        wait_for(shown, lambda: screens[0], self.hangs)
        return screens[0]

    def await_line(self, pattern):
        """Wait until a line matches."""
        return self.until(lambda screen: re.search(pattern, screen, re.M))

    def await_none(self, pattern, colours=False):
        """Wait until no line matches."""
        return self.until(lambda screen: not re.search(pattern, screen, re.M), colours)

    def press(self, key, pattern):
        """Press a key, and wait until a line matches."""
        self.key(key)
        return self.await_line(pattern)

    def flag(self, name):
        return self('display-message', '-p', f'#{{{name}}}').strip()
