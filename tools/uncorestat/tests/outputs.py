# SPDX-License-Identifier: GPL-2.0-only
"""Prelude of the Python in the tests (objects in fake.sh): rows are those of the last run's JSON or CSV, args the other arguments."""
import csv
import datetime
import json
import math
import re
import sys
import time
import xml.etree.ElementTree as tree

SVG = '{http://www.w3.org/2000/svg}'


def text(name):
    return open(name, newline='').read()


def load(name):
    """The lines of a file of JSON or CSV, as dictionaries; [] of another"""
    if text(name).startswith('{'):
        return [json.loads(line) for line in text(name).splitlines()]
    return list(csv.DictReader(open(name, newline=''))) if text(name).startswith('time,') else []


def points(panel):
    """Of each curve of a panel its title and (x, y, end) of each interval"""
    return [(c.find(SVG + 'title').text, re.findall(r'[ML]([\d.]+) ([\d.]+)H([\d.]+)', c.get('d')))
            for c in panel.findall(SVG + 'path')]


rows = load(sys.argv[1])
args = sys.argv[2:]
if args and args[0].endswith('.svg'):
    root = tree.parse(args[0]).getroot()
    panels = root.findall(SVG + 'g')
    texts = [(t.get('class'), t.text or '') for t in root.findall(SVG + 'text')]
