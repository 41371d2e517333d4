import type { LoadedCase } from './load.js';
import type { Seen } from './observe.js';
import { type MemoryKind, type Played, playCase, playSecond, type Setting } from './play.js';
import type { SettingResult } from './report.js';
import { scoreCase } from './score.js';
import type { Files } from './versions.js';
import type { World } from './world.js';

/** What is evaluated. */
export interface Evaluation {
  readonly cases: readonly LoadedCase[];
  readonly setting: Setting;
  /** How often each case is run. */
  readonly rounds: number;
  readonly isOfModel: boolean;
  /** Says what is under way. */
  say(line: string): void;
}

/** Runs all cases in a setting and counts what they came to. */
export async function evaluate(world: World, evaluation: Evaluation): Promise<SettingResult> {
  const { cases, setting, rounds, isOfModel } = evaluation;
  const played: Played[] = [];
  const incomplete: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const own: Played[] = [];
    for (const loaded of cases) {
      const one = setting.mayGoOn() ? await playOne(world, loaded, evaluation) : undefined;
      if (one === undefined || one.isIncomplete) incomplete.push(loaded.about.name);
      else own.push(one);
    }
    played.push(...(await withOtherMemories(world, own, evaluation)));
  }
  return { setting: setting.name, scores: played.map(scoreCase), incomplete, isOfModel };
}

async function playOne(
  world: World,
  loaded: LoadedCase,
  { setting, say }: Evaluation,
): Promise<Played> {
  const one = await playCase(world, loaded, setting);
  say(`${setting.name}: ${loaded.about.name}${one.isIncomplete ? ' did not come to its end' : ''}`);
  return one;
}

/**
 * The second pull requests of lessons without memory, and with the one that another lesson left.
 */
async function withOtherMemories(
  world: World,
  played: readonly Played[],
  { cases, setting }: Evaluation,
): Promise<readonly Played[]> {
  const lessons = played.filter(({ second }) => second !== undefined);
  const done: Played[] = [];
  for (const one of played) {
    const loaded = cases.find(({ about }) => about === one.about);
    if (one.second === undefined || loaded === undefined) {
      done.push(one);
      continue;
    }
    const other = lessons[(lessons.indexOf(one) + 1) % lessons.length];
    const memories: readonly (readonly [MemoryKind, Files])[] = [
      ['none', {}],
      ...(other === undefined || other === one ? [] : [['foreign', other.memory] as const]),
    ];
    const runs: Partial<Record<MemoryKind, Seen>> = { ...one.second.runs };
    for (const [kind, memory] of memories) {
      const seen = setting.mayGoOn()
        ? await playSecond(world, { loaded, setting, memory })
        : undefined;
      if (seen !== undefined) runs[kind] = seen;
    }
    done.push({ ...one, second: { ...one.second, runs } });
  }
  return done;
}
