import type { RecordedRequest } from '../__tests__/helpers/loopback.js';
import { runMainHere } from '../__tests__/helpers/run-main.js';
import { parseDiff } from '../src/lib/text/diff.js';
import type { Answer, Case, Expected, Step } from './case.js';
import type { Source } from './gateway.js';
import type { LoadedCase } from './load.js';
import { assign } from './match.js';
import { observe, type Seen } from './observe.js';
import { type Files, makeVersions, type Version, type Versions } from './versions.js';
import {
  FIRST_PULL,
  type Opened,
  openScene,
  type Scene,
  type SceneEvent,
  type World,
} from './world.js';

/** How cases are run. */
export interface Setting {
  readonly name: string;
  /** `provider/model`. */
  readonly model: string;
  /** Inputs of the action for the next run, without agent and model. */
  inputs(): Readonly<Record<string, string>>;
  /** Variables that lead the action to the model. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the answers to the `run`-th run of a case come from; undefined: nobody is asked. */
  source(about: Case, run: number): Source | undefined;
  /** Called after each run. */
  onRun(seen: Seen): void;
  /** Whether there is money for another run. */
  mayGoOn(): boolean;
}

/** A run of a case, and what was expected of it. */
export interface PlayedRun {
  readonly step: Extract<Step, { readonly push: number }> | undefined;
  readonly seen: Seen;
}

/** Which memory the second pull request of a lesson was run with. */
export type MemoryKind = 'own' | 'none' | 'foreign';

/** The second pull request of a lesson. */
export interface PlayedSecond {
  readonly expect: readonly Expected[];
  readonly runs: Partial<Record<MemoryKind, Seen>>;
}

/** What became of a case. */
export interface Played {
  readonly about: Case;
  /** On the first pull request. */
  readonly runs: readonly PlayedRun[];
  readonly second: PlayedSecond | undefined;
  /** Memory after everything. */
  readonly memory: Files;
  /** It did not come to its end: the cap was reached. */
  readonly isIncomplete: boolean;
}

/** Runs the action on everything that happens in a case. */
export async function playCase(
  world: World,
  loaded: LoadedCase,
  setting: Setting,
): Promise<Played> {
  const { about } = loaded;
  const versions = makeVersions(loaded);
  const scene = openScene(world, versions.first.base);
  const stage = createStage(world, about, setting);
  const first: Opened = { ...about, number: FIRST_PULL };
  const runs: PlayedRun[] = [];
  let second: PlayedSecond | undefined;
  const review = async (step: PlayedRun['step'], event: SceneEvent, version: Version) => {
    const seen = await stage.run(scene, { event, pull: FIRST_PULL, version });
    runs.push({ step, seen });
  };
  const ended = () => ({ about, runs, second, memory: scene.memory() });
  await review(undefined, scene.open(first, versions.first), versions.first);
  for (const step of about.steps) {
    if (stage.isCut() || !setting.mayGoOn()) return { ...ended(), isIncomplete: true };
    if ('answer' in step) answer(scene, step.answer, { about, runs });
    if ('push' in step) {
      const version = versionOf(versions.pushes, step.push);
      await review(step, scene.push(first, version), version);
    }
    if ('pull' in step) {
      const version = versionOf(versions.pulls, step.pull);
      scene.merge(FIRST_PULL);
      const own = await stage.run(scene, {
        event: scene.open(secondPull(step), version),
        pull: step.pull,
        version,
      });
      second = { expect: step.expect, runs: { own } };
    }
  }
  return { ...ended(), isIncomplete: stage.isCut() };
}

/**
 * Runs the action on the pull request of a case as it is opened, and on nothing that happens later.
 */
export async function playFirst(world: World, loaded: LoadedCase, setting: Setting): Promise<Seen> {
  const { about } = loaded;
  const version = makeVersions(loaded).first;
  const scene = openScene(world, version.base);
  const event = scene.open({ ...about, number: FIRST_PULL }, version);
  return await createStage(world, about, setting).run(scene, { event, pull: FIRST_PULL, version });
}

/** Reviews one change with what earlier ones left in memory; undefined if the money ended in it. */
export async function playChange(
  world: World,
  {
    about,
    version,
    memory,
  }: { readonly about: Case; readonly version: Version; readonly memory: Files },
  setting: Setting,
): Promise<{ readonly seen: Seen; readonly memory: Files } | undefined> {
  const scene = openScene(world, version.base, memory);
  const event = scene.open({ ...about, number: FIRST_PULL }, version);
  const stage = createStage(world, about, setting);
  const seen = await stage.run(scene, { event, pull: FIRST_PULL, version });
  return stage.isCut() ? undefined : { seen, memory: scene.memory() };
}

/**
 * Runs the second pull request of a lesson once more in a repository of its own, with another
 * memory.
 */
export async function playSecond(
  world: World,
  {
    loaded,
    setting,
    memory,
  }: { readonly loaded: LoadedCase; readonly setting: Setting; readonly memory: Files },
): Promise<Seen | undefined> {
  const { about } = loaded;
  const step = about.steps.find((one) => 'pull' in one);
  if (step === undefined) return undefined;
  const version = versionOf(makeVersions(loaded).pulls, step.pull);
  const scene = openScene(world, version.base, memory);
  const stage = createStage(world, about, setting, about.answers.length - 1);
  const seen = await stage.run(scene, {
    event: scene.open(secondPull(step), version),
    pull: step.pull,
    version,
  });
  return stage.isCut() ? undefined : seen;
}

interface RunParts {
  readonly event: SceneEvent;
  readonly pull: number;
  readonly version: Version;
}

/**
 * Runs the action again and again, and keeps what the model was shown of each pull request;
 * `firstRun` is the first answer of the script.
 */
function createStage({ gateway, github }: World, about: Case, setting: Setting, firstRun = 0) {
  const shown = new Map<number, RecordedRequest[]>();
  const renames = new Map<string, string>();
  let count = firstRun;
  let isCut = false;
  return {
    /** The last run did not come to its end, for want of money. */
    isCut: () => isCut,
    async run({ repo }: Scene, { event, pull, version }: RunParts): Promise<Seen> {
      const source = setting.source(about, count);
      if (source !== undefined) gateway.answerFrom(source);
      count += 1;
      const step = await runMainHere({
        ...event,
        runId: String(1_658_821_493 + count),
        inputs: {
          agent: 'builtin/pr-reviewer',
          model: setting.model,
          'memory-store': 'branch',
          'block-on': 'major',
          ...about.inputs,
          ...setting.inputs(),
        },
        env: { ...setting.env, ...github.env },
      });
      const asked = source === undefined ? [] : gateway.requests();
      const requests = [...(shown.get(pull) ?? []), ...asked];
      shown.set(pull, requests);
      for (const { path, previousPath } of parseDiff(version.fresh)) {
        if (previousPath !== undefined)
          renames.set(path, renames.get(previousPath) ?? previousPath);
      }
      const seen = observe({ step, repo, pull, version, renames, requests, calls: asked.length });
      setting.onRun(seen);
      isCut ||= !setting.mayGoOn() && seen.conclusion !== 'success';
      return seen;
    },
  };
}

function answer(
  scene: Scene,
  given: Answer,
  { about, runs }: { readonly about: Case; readonly runs: readonly PlayedRun[] },
): void {
  const posted = runs.flatMap(({ seen }) => seen.posted);
  const [meant] = assign(about.expect, posted).get(given.finding) ?? [];
  const thread = runs.at(-1)?.seen.threads.find(({ finding }) => finding === meant?.id);
  // What the reviewer did not find nobody can answer.
  if (thread !== undefined) scene.answer(thread.comment, given);
}

function secondPull({
  pull,
  title,
  description,
}: Extract<Step, { readonly pull: number }>): Opened {
  return { number: pull, title, description, author: 'writer' };
}

function versionOf(versions: Versions['pushes'], number: number): Version {
  const version = versions.get(number);
  if (version === undefined) throw new Error(`there is no version ${number}`);
  return version;
}
