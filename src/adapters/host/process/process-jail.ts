import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../core/environment.js';
import { messageOf } from '../../../core/errors.js';
import { isInside } from '../confine.js';
import { createCommandJail, type ProcessJail } from './command-jail.js';
import { type JailPlaces, planMounts } from './jail-mounts.js';
import { type JailWay, PROBE, PROOF } from './jail-script.js';
import { scrubEnv } from './scrub-env.js';

/** A jail, or one line on why there is none. */
export type FoundJail =
  | { readonly kind: 'jail'; readonly jail: ProcessJail }
  | { readonly kind: 'none'; readonly reason: string };

/** How long a trial may take. */
const TRIAL_MS = 20_000;

/**
 * A process namespace alone (unshare(1)): a command sees no other process, so it cannot read the environment of ours from
 * `/proc`, and nothing it starts outlives it. On a terminal it sees all files, as axe's commands do.
 */
const NAMESPACE = [
  ...['unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child', '--mount-proc'],
  '--',
];

/** The jail of a terminal. */
export async function findProcessNamespace(env: Environment): Promise<FoundJail> {
  if (process.platform !== 'linux') return noneHere();
  const trial = [...NAMESPACE, 'sh', '-c', `test "$$" = 1 && test -r /proc/1/environ && echo '${PROOF}'`];
  const reason = await attempt(trial, scrubEnv(env));
  if (reason !== undefined) return { kind: 'none', reason };
  const enter: ProcessJail['enter'] = async ({ program, env: inside }) => ({
    program: [...NAMESPACE, ...program],
    env: inside,
    endsWithInput: false,
    leave: async () => {},
  });
  return { kind: 'jail', jail: { enter } };
}

function noneHere(): FoundJail {
  return { kind: 'none', reason: `there is none on ${process.platform}` };
}

/**
 * The jail of a workflow: a process namespace, in which moreover `places` cannot be seen or written. Where the system
 * refuses user namespaces, the password-less `sudo` of GitHub's runners builds it. A trial shows that it holds.
 */
export async function findCommandJail(env: Environment, places: () => JailPlaces): Promise<FoundJail> {
  if (process.platform !== 'linux') return noneHere();
  const reasons: string[] = [];
  for (const way of waysFor(env)) {
    const reason = await tryJail(way, { env: scrubEnv(env), places: places() });
    if (reason === undefined) return { kind: 'jail', jail: createCommandJail(way, places) };
    reasons.push(reason);
  }
  return { kind: 'none', reason: [...new Set(reasons)].join('; ') };
}

/** `sudo` is used on runners only: nobody expects it of a program that reads a repository on a laptop. */
function waysFor(env: Environment): readonly JailWay[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const inNamespace = { kind: 'user-namespace', uid, gid } as const;
  if (uid === 0) return [inNamespace, { kind: 'root', uid, gid }];
  return env['GITHUB_ACTIONS'] === 'true' ? [inNamespace, { kind: 'sudo', uid, gid }] : [inNamespace];
}

/**
 * Tries a jail around all places, and around a folder with something to see and to write. Undefined if it holds, else
 * what went wrong.
 */
async function tryJail(
  way: JailWay,
  { env, places }: { readonly env: Readonly<Record<string, string>>; readonly places: JailPlaces },
): Promise<string | undefined> {
  const folder = await mkdtemp(join(visibleTemp(places), 'axe-jail-'));
  try {
    const [hidden, file, readOnly] = ['hidden', 'file', 'read-only'].map((name) => join(folder, name));
    for (const path of [hidden, readOnly]) {
      await mkdir(path ?? '');
      await writeFile(join(path ?? '', 'canary'), 'canary');
    }
    await writeFile(file ?? '', 'canary');
    const all = {
      ...places,
      hidden: [...places.hidden, hidden ?? '', file ?? ''],
      readOnly: [...places.readOnly, readOnly ?? ''],
    };
    const steps = (await planMounts(all)).filter(({ kind }) => CHECKED.has(kind));
    const outside = await readlink('/proc/self/ns/pid');
    const probe = ['sh', '-c', PROBE, 'probe', outside, ...steps.flatMap(({ kind, path }) => [kind, path])];
    const jail = createCommandJail(way, () => all);
    const entered = await jail.enter({ program: probe, cwd: places.workspace, env });
    const reason = await attempt(entered.program, entered.env);
    await entered.leave();
    return reason;
  } catch (thrown) {
    return messageOf(thrown);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const CHECKED = new Set(['hidden-folder', 'hidden-file', 'temporary', 'read-only']);

/** A folder for the trial that is not itself hidden. */
function visibleTemp({ temporary }: JailPlaces): string {
  const folders = [tmpdir(), '/tmp', '/var/tmp'];
  return folders.find((folder) => temporary === undefined || !isInside(temporary, folder)) ?? tmpdir();
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
