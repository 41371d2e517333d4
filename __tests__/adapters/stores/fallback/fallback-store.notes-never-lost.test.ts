import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFallbackStore } from '../../../../src/adapters/stores/fallback/fallback-store.js';
import type { Change } from '../../../../src/core/memory/change.js';
import type { MemoryStore, SaveResult } from '../../../../src/core/memory/store.js';
import { parseLog } from '../../../../src/core/memory/units.js';
import { append, idsIn } from '../entries.js';
import {
  createFakePlace,
  type FakePlace,
  faultsOf,
  type PlaceFaults,
  WEATHER,
  type Weather,
} from '../fake-place.js';
import { adding, note, overwriting } from '../notes-contract.js';
import { seededRandom } from '../simulated-clock.js';

const never = new AbortController().signal;
const RUNS = 400;
const FACTS = 'MEMORY.md';
const DAY = 'projects/p-12345678/daily/2026-03-01.md';
const NOTE = 'projects/p-12345678/notes/auth.md';
const LOG = 'bot.md';
const UNITED = [FACTS, DAY] as const;
const MODES = ['auto', 'fixed'] as const;
const WORK = ['fact', 'fact', 'day', 'note', 'delete', 'entry', 'gc'] as const;

/** What a run finds and does. */
interface Run {
  readonly mode: (typeof MODES)[number];
  readonly work: (typeof WORK)[number];
  readonly weather: readonly Weather[];
  readonly chance: number;
}

const anyRun: fc.Arbitrary<Run> = fc.record({
  mode: fc.constantFrom(...MODES),
  work: fc.constantFrom(...WORK),
  weather: fc.tuple(fc.constantFrom(...WEATHER), fc.constantFrom(...WEATHER)),
  chance: fc.integer(),
});

/** What was reported to runs. */
interface Promises {
  /** Lines that are to be seen, with their place. */
  readonly kept: Map<string, string>;
  /** Lines that are not to be seen again. */
  readonly gone: Set<string>;
  /** Texts of the note, also of runs that got no report. */
  readonly versions: Set<string>;
  readonly entries: Set<string>;
  readonly trimmed: Set<string>;
}

describe('for notes and entries, with any failures and any order of runs,', () => {
  it('a reader sees all that a run reported as saved, and nothing that was deleted or trimmed', async () => {
    const seen = { kept: 0, gone: 0, versions: 0, trimmed: 0, lower: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRun, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
        async (groups) => {
          const places = [createFakePlace('repo'), createFakePlace('cache')];
          const promises: Promises = {
            kept: new Map(),
            gone: new Set(),
            versions: new Set(),
            entries: new Set(),
            trimmed: new Set(),
          };
          let count = 0;
          for (const runs of groups) {
            const named = runs.map((run) => {
              count += 1;
              return { run, name: `x${count}x` };
            });
            // What is added while a day is deleted may go with it, so a deletion waits for the others.
            const isAlone = ({ run }: (typeof named)[number]) => run.work === 'delete';
            const others = named.filter((each) => !isAlone(each));
            await Promise.all(others.map(({ run, name }) => play(run, name, { places, promises })));
            for (const { run, name } of named.filter(isAlone)) await play(run, name, { places, promises });
          }
          seen.kept += promises.kept.size;
          seen.gone += promises.gone.size;
          seen.versions += promises.versions.size;
          seen.trimmed += promises.trimmed.size;
          if ((places[1]?.version ?? 0) > 0) seen.lower += 1;
          await check(open(places, 'auto'), promises);
          const last = [adding(FACTS, 'last'), adding(DAY, 'last'), adding(NOTE, 'last'), append('last')];
          expect(await open(places, 'fixed').write(last, never)).toMatchObject({ kind: 'saved' });
          await check(open(places.slice(0, 1), 'fixed'), promises);
          await check(open(places, 'auto'), promises);
        },
      ),
      { numRuns: RUNS },
    );
    // Were one of these things never done, nothing would be shown of it.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS / 20);
  });
});

function open(
  places: readonly FakePlace[],
  mode: Run['mode'],
  faults: readonly PlaceFaults[] = [],
): MemoryStore {
  return createFallbackStore({ tiers: places.map((place, index) => place.open(faults[index])), mode });
}

interface Scene {
  readonly places: readonly FakePlace[];
  readonly promises: Promises;
}

async function play(run: Run, name: string, { places, promises }: Scene): Promise<void> {
  const random = seededRandom(run.chance);
  const faults = run.weather.map((each) => faultsOf(each, random));
  const fallback = open(places, run.mode, faults);
  const save = async (change: Change) => kindOf(await fallback.write([change], never));
  switch (run.work) {
    case 'fact':
    case 'day': {
      const path = run.work === 'fact' ? FACTS : DAY;
      if ((await save(adding(path, name))) === 'kept') promises.kept.set(name, path);
      return;
    }
    case 'note':
      promises.versions.add(name);
      await save(overwriting(NOTE, `${name}\n`));
      return;
    case 'entry':
      if ((await save(append(name))) === 'kept') promises.entries.add(name);
      return;
    case 'gc':
      await collect(fallback, promises);
      return;
    case 'delete':
      await takeOut({ fallback, places, random }, promises);
  }
}

/** What a run takes out, nobody else may promise meanwhile: from here on it is neither kept nor gone. */
async function takeOut(
  parts: {
    readonly fallback: MemoryStore;
    readonly places: readonly FakePlace[];
    readonly random: () => number;
  },
  { kept, gone }: Promises,
): Promise<void> {
  const { fallback, places, random } = parts;
  const [first] = places;
  // Only where the branch has them: what another place alone holds is edited and deleted there.
  const known = [...kept].filter(
    ([line, path]) => path === DAY && first?.tree.get(path)?.includes(line) === true,
  );
  const [line] = known[Math.floor(random() * known.length)] ?? [];
  if (line === undefined) return;
  // Where the branch cannot be written, it is the other place's lines that are deleted.
  for (const [one, path] of [...kept]) if (path === DAY) kept.delete(one);
  const before = first?.tree.get(DAY) ?? '';
  const result = await fallback.write([note(DAY, { kind: 'delete' })], never);
  if (result.kind !== 'saved' || result.store === 'cache') return;
  for (const [one] of known) if (before.includes(one)) gone.add(one);
}

/** Garbage collection: all that is seen is analysed, and taken out some time later. */
async function collect(fallback: MemoryStore, { entries, trimmed }: Promises): Promise<void> {
  const found = await fallback.readTree(never, [LOG]);
  if (found.kind === 'failed') return;
  const ids = parseLog(found.tree.get(LOG) ?? '').units.map(({ id }) => id);
  if (ids.length === 0) return;
  for (const id of ids) entries.delete(id);
  const at = new Date('2026-03-02T00:00:00Z');
  const result = await fallback.write([{ kind: 'trim', path: LOG, ids, at }], never);
  if (kindOf(result) === 'kept') for (const id of ids) trimmed.add(id);
}

function kindOf(result: SaveResult): 'kept' | 'doubtful' {
  return result.kind === 'saved' || result.kept !== undefined ? 'kept' : 'doubtful';
}

async function check(store: MemoryStore, promises: Promises): Promise<void> {
  const found = await store.readTree(never, [...UNITED, NOTE, LOG]);
  if (found.kind === 'failed') throw new Error(found.message);
  for (const path of UNITED) {
    const lines = (found.tree.get(path) ?? '').split('\n').filter((line) => line !== '');
    const due = [...promises.kept].flatMap(([line, where]) => (where === path ? [line] : []));
    expect(lines).toEqual(expect.arrayContaining(due));
    expect(lines.filter((line) => promises.gone.has(line))).toEqual([]);
    expect(new Set(lines).size).toBe(lines.length);
  }
  const ids = idsIn(found.tree.get(LOG) ?? '');
  expect(ids).toEqual(expect.arrayContaining([...promises.entries]));
  expect(ids.filter((id) => promises.trimmed.has(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const versions = [...(found.tree.get(NOTE) ?? '').split('\n')].filter((line) => /^x\d+x$/.test(line));
  expect(versions.filter((line) => !promises.versions.has(line))).toEqual([]);
}
