import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInside } from '../../lib/confine.js';
import type { Environment } from '../../lib/environment.js';
import { messageOf } from '../../lib/errors.js';
import { type JailPlaces, makeReserved, planMounts } from './jail-mounts.js';
import { type JailWay, jailedCommand, PROBE, PROOF } from './jail-script.js';
import type { Programs } from './programs.js';
import { scrubEnv } from './scrub-env.js';

/** A jail, or one line on why there is none. */
export type FoundJail =
  | { readonly kind: 'jail'; readonly jail: ProcessJail }
  | { readonly kind: 'none'; readonly reason: string };

const TRIAL_MS = 20_000;

/**
 * The jail of a run's commands, or why there is none. Where the system refuses user namespaces, the password-less `sudo` of
 * GitHub's runners builds it. A trial shows that it holds.
 */
export async function findCommandJail(
  { env, programs, places }: JailParts,
  ways: readonly JailWay[] = waysFor(env),
): Promise<FoundJail> {
  if (process.platform !== 'linux') return { kind: 'none', reason: `there is none on ${process.platform}` };
  const reasons: string[] = [];
  for (const way of ways) {
    const reason = await tryJail(way, { env, programs, places });
    if (reason === undefined) return { kind: 'jail', jail: createCommandJail(way, programs, places) };
    reasons.push(reason);
  }
  return { kind: 'none', reason: [...new Set(reasons)].join('; ') };
}

interface JailParts {
  readonly env: Environment;
  /** What builds it. */
  readonly programs: Programs;
  readonly places: () => JailPlaces;
}

/** `sudo` is used on runners only: nobody expects it of a program that reads a repository on a laptop. */
function waysFor(env: Environment): readonly JailWay[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return [{ kind: 'root', uid, gid }];
  const inNamespace = { kind: 'user-namespace', uid, gid } as const;
  return env['GITHUB_ACTIONS'] === 'true' ? [inNamespace, { kind: 'sudo', uid, gid }] : [inNamespace];
}

/**
 * Tries a jail around all places, and around a folder with something to see and to write. Undefined if it holds, else
 * what went wrong.
 */
async function tryJail(way: JailWay, { env, programs, places }: JailParts): Promise<string | undefined> {
  const folder = await makeVisible('axe-jail-', places().temporary);
  try {
    const [hidden = '', file = '', readOnly = ''] = ['hidden', 'file', 'read-only'].map((name) =>
      join(folder, name),
    );
    for (const path of [hidden, readOnly]) {
      await mkdir(path);
      await writeFile(join(path, 'canary'), 'canary');
    }
    await writeFile(file, 'canary');
    const all = {
      ...places(),
      hidden: [...places().hidden, hidden, file],
      readOnly: [...places().readOnly, readOnly],
    };
    const steps = (await planMounts(all)).filter(({ kind }) => CHECKED.has(kind));
    const checked = [...steps, ...SYSTEM.map((path) => ({ kind: 'read-only', path }))];
    const outside = await readlink('/proc/self/ns/pid');
    const probe = [programs.find('sh'), '-c', PROBE, 'probe', outside];
    const jail = createCommandJail(way, programs, () => all);
    const entered = await jail.enter({
      program: [...probe, ...checked.flatMap(({ kind, path }) => [kind, path])],
      cwd: all.workspace,
      env: { ...scrubEnv(env), PATH: programs.path },
    });
    const reason = await attempt(entered.program, entered.env);
    await entered.leave();
    return reason;
  } catch (thrown) {
    return messageOf(thrown);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where this user may write without a jail if it is root. */
const SYSTEM = ['/', '/usr', '/bin', '/lib', '/etc', '/opt', '/var', '/proc/sys', '/sys'];

const CHECKED = new Set(['hidden-folder', 'hidden-file', 'temporary', 'read-only']);

/** Makes the home folder of a run's commands, which ends with our process. */
export async function makeHome(temporary: string | undefined): Promise<string> {
  const home = await makeVisible('axe-home-', temporary);
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Makes an empty folder that commands see. */
async function makeVisible(prefix: string, temporary: string | undefined): Promise<string> {
  const folders = [tmpdir(), '/tmp', '/var/tmp'];
  const parent = folders.find((folder) => temporary === undefined || !isInside(temporary, folder));
  return await mkdtemp(join(parent ?? tmpdir(), prefix));
}

/** Undefined if the program prints {@link PROOF}, else the last line of what it said. */
function attempt(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env, timeout: TRIAL_MS, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      clearTimeout(timer);
      if (error === null && stdout.includes(PROOF)) resolve(undefined);
      else resolve(lastLine(`${stdout}\n${stderr}`) || (error === null ? 'no answer' : startOf(error)));
    });
    // What `sudo` has started hears no signal of ours.
    const timer = setTimeout(() => child.stdin?.destroy(), TRIAL_MS);
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** Node's message of a failed program holds the whole command line. */
function startOf(error: Error): string {
  return error.message.split('\n')[0]?.slice(0, 200) ?? '';
}

/** Where commands run apart from our own process. */
export interface ProcessJail {
  enter(program: JailedStart): Promise<Entered>;
}

/** A program, its folder, and the environment it may have. */
export interface JailedStart {
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What to start instead of the program. */
export interface Entered {
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called when the program has ended. */
  leave(): Promise<void>;
}

/** Builds a jail in the given way around every program. */
export function createCommandJail(
  way: JailWay,
  programs: Programs,
  placesNow: () => JailPlaces,
): ProcessJail {
  const made: string[] = [];
  let running = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** Folders are made and removed by one program at a time: one that is removed is mounted on no more. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function leave(): Promise<void> {
    running -= 1;
    if (running > 0) return;
    // One in which something was put by others stays.
    for (const folder of made.splice(0).toReversed()) await rmdir(folder).catch(() => undefined);
  }

  return {
    enter: ({ program, cwd, env }) =>
      inTurn(async () => {
        const places = placesNow();
        made.push(...(await makeReserved(places)));
        // On a terminal an agent may work elsewhere than where it was started.
        const mounts = await planMounts({ ...places, writable: [...places.writable, cwd] });
        running += 1;
        const inside = { ...env, ...places.env };
        return {
          program: jailedCommand(way, { program, cwd, env: inside, mounts }, programs),
          env: inside,
          leave: () => inTurn(leave),
        };
      }),
  };
}
