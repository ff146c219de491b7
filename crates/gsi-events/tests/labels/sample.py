#!/usr/bin/env python3
"""Draws the rows of events.tsv (all parts but X). Usage: sample.py EXPORT_DIR > rows.tsv   (id, file, part)

Pool: every row with root code 13-20 in the export files.
A  as they come: 9 rows per file, drawn without replacement, in file-name order.
T  top-up: rows drawn from what is left of the pool until every root code has at least 22 rows in A+T (or all its rows).
G  groups: see groups().
K  more groups, drawn the same way after G, but only from articles outside the United States whose address has a word of
   WAR_WORDS, and with one neighbour as the least: rows as they come hold too few real happenings to score clustering on.
   Never use K for the share of real rows.
B  as they come again: 8 rows per file from all rows that are not in A (seed + 1), whatever other part they are in. A and
   B together are the unbiased sample.
L  the United States' counterpart of K: 36 rows, one per article and category, whose address has a word of STREET_WORDS.
"""
import glob, math, os, random, re, sys
from collections import defaultdict
from datetime import datetime, timedelta

SEED = 20261115
PER_FILE, PER_FILE_AGAIN, PER_ROOT = 9, 8, 22
GROUPS, GROUP_SIZE, PER_CELL, PER_CATEGORY = 36, 7, 2, 14
KEYED_GROUPS, KEYED_SIZE, KEYED_PER_CELL, KEYED_PER_CATEGORY = 60, 5, 4, 40
WAR_WORDS = set('''airstrike airstrikes army assassinated assassination attack attacks bomb bombing border ceasefire clash
clashes coup crackdown detained drone drones expelled explosion gunmen hezbollah hostages houthi houthis invasion junta
killed kills militants militia missile missiles mobilisation offensive opposition protest protesters protests raid raids
rally rebels riot riots sanctions shelling siege soldiers strike strikes terror terrorists threatens troops
unrest warns warplanes'''.split())
STREET_ROWS = 36
STREET_WORDS = set('guard ice marines protest protesters protests riot riots troops'.split())
CATEGORY = {'13': 'threat', '14': 'unrest', '15': 'posture', '16': 'coercion', '17': 'coercion',
            '18': 'kinetic', '19': 'kinetic', '20': 'kinetic'}


def read(folder):
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, '*.export.CSV'))):
        for line in open(path, encoding='utf-8'):
            c = line.rstrip('\n').split('\t')
            if c[28] in CATEGORY:
                rows.append(c)
        for c in rows:
            if len(c) == 61:
                c.append(os.path.basename(path))
    return rows


def words(url):
    path = re.sub(r'^https?://[^/]*', '', url).lower()
    return {w for w in re.findall(r'[^\W\d_]+', path) if len(w) >= 5}


def stamp(c):
    return datetime.strptime(c[59], '%Y%m%d%H%M%S')


def km(a, b):
    try:
        la, lo, lb, ob = (math.radians(float(x)) for x in (a[55], a[56], b[55], b[56]))
    except ValueError:
        return 9999.0
    h = math.sin((lb - la) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin((ob - lo) / 2) ** 2
    return 12742 * math.asin(math.sqrt(min(1.0, h)))


def groups(rng, pool, letter='G', number=None, size=None, taken=frozenset(), least=3,
           per_cell=PER_CELL, per_category=PER_CATEGORY):
    """A seed row, and the rows of other articles nearest to it, among rows of the same category and action country whose
    files lie within 48 h. Even groups: any seed. Odd groups: a seed that shares two words of five letters or more (each in
    under 2 % of the articles) with an article of another host in its neighbourhood, so that real doublets are there to be
    found; those articles come first. Nearness: same pair of actor codes 0, one actor code shared 1, else 2; then
    kilometres; then id. One row per article and category: the one with the lowest id. Caps per category and country keep
    the groups diverse."""
    number, size = number or GROUPS, size or GROUP_SIZE
    seen, first = set(), []
    for c in sorted(pool, key=lambda c: int(c[0])):
        key = (c[60], CATEGORY[c[28]])
        # A country and a coded day no more than 3 days back, or the row could not be near anything.
        day = datetime.strptime(c[1], '%Y%m%d')
        if c[0] in taken or key in seen or not c[53] or (stamp(c) - day).days > 3:
            continue
        seen.add(key)
        first.append(c)
    count = defaultdict(int)
    for url in {c[60] for c in first}:
        for w in words(url):
            count[w] += 1
    rare = {w for w, n in count.items() if n < 0.02 * len({c[60] for c in first})}
    host = lambda c: re.sub(r'^https?://(www\.)?([^/]*).*', r'\2', c[60])
    order = first[:]
    rng.shuffle(order)
    used, out, of_cell, of_cat = set(), [], defaultdict(int), defaultdict(int)
    for n in range(number):
        for seed in order:
            cat, country = CATEGORY[seed[28]], seed[53]
            if seed[0] in used or of_cell[cat, country] >= per_cell or of_cat[cat] >= per_category:
                continue
            near = [c for c in first if c[0] not in used and c[0] != seed[0] and c[53] == country and c[60] != seed[60]
                    and CATEGORY[c[28]] == cat and abs(stamp(c) - stamp(seed)) <= timedelta(hours=48)]
            alike = {c[0] for c in near if n % 2 and host(c) != host(seed) and len(words(c[60]) & words(seed[60]) & rare) >= 2}
            if len(near) < (1 if n % 2 else least) or (n % 2 and not alike):
                continue
            pair = lambda c: {c[5], c[15]} - {''}
            rank = lambda c: (c[0] not in alike, 0 if pair(c) == pair(seed) else 1 if pair(c) & pair(seed) else 2, km(c, seed), int(c[0]))
            members = [seed] + sorted(near, key=rank)[:size - 1]
            used |= {c[0] for c in members}
            of_cell[cat, country] += 1
            of_cat[cat] += 1
            out += [(c, f'{letter}{n:02}') for c in members]
            break
    return out


def main():
    rng = random.Random(SEED)
    pool = read(sys.argv[1])
    chosen = {}
    for name in sorted({c[61] for c in pool}):
        for c in rng.sample(sorted((c for c in pool if c[61] == name), key=lambda c: int(c[0])), PER_FILE):
            chosen[c[0]] = (c, 'A')
    for root in sorted(CATEGORY):
        have = sum(1 for c, _ in chosen.values() if c[28] == root)
        rest = sorted((c for c in pool if c[28] == root and c[0] not in chosen), key=lambda c: int(c[0]))
        for c in rng.sample(rest, min(max(0, PER_ROOT - have), len(rest))):
            chosen[c[0]] = (c, 'T')
    for c, part in groups(rng, pool):
        old = chosen.get(c[0])
        chosen[c[0]] = (c, f'{old[1]}+{part}' if old else part)
    told = lambda c: set(re.findall(r'[a-z]+', re.sub(r'^https?://[^/]*', '', c[60]).lower()))
    keyed = [c for c in pool if c[53] != 'US' and told(c) & WAR_WORDS]
    for c, part in groups(rng, keyed, 'K', KEYED_GROUPS, KEYED_SIZE, set(chosen), 1, KEYED_PER_CELL,
                          KEYED_PER_CATEGORY):
        chosen[c[0]] = (c, part)
    street, seen = [], set()
    for c in sorted(pool, key=lambda c: int(c[0])):
        key = (c[60], CATEGORY[c[28]])
        if c[53] == 'US' and c[0] not in chosen and key not in seen and told(c) & STREET_WORDS:
            seen.add(key)
            street.append(c)
    for c in rng.sample(street, min(STREET_ROWS, len(street))):
        chosen[c[0]] = (c, 'L')
    again = random.Random(SEED + 1)
    for name in sorted({c[61] for c in pool}):
        rest = sorted((c for c in pool if c[61] == name and not chosen.get(c[0], (c, ''))[1].startswith('A')),
                      key=lambda c: int(c[0]))
        for c in again.sample(rest, PER_FILE_AGAIN):
            old = chosen.get(c[0])
            chosen[c[0]] = (c, f'B+{old[1]}' if old else 'B')
    for c, part in sorted(chosen.values(), key=lambda x: int(x[0][0])):
        print(c[0], c[61], part, sep='\t')


main()
