import { relative, resolve } from 'node:path';
import { hasNotes } from '../agent/built-in.js';
import type { TriggerPlace } from '../event/trigger.js';
import { createClock } from '../lib/clock.js';
import { AxeError, type ExitCode, warningText } from '../lib/errors.js';
import { findRepositoryRoot, readOrigin } from '../lib/git.js';
import type { Provenance } from '../memory/run-log.js';
import { createBaseReader } from '../run/cite.js';
import {
  type CommandSession,
  parseMemoryCommand,
  viewMemory,
} from '../run/memory-commands/command-session.js';
import { formatEntries, type MemoryEntry } from '../run/memory-commands/entry.js';
import { runMemoryCommand } from '../run/memory-commands/memory-command.js';
import { notesGiven } from '../run/notes.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secrets.js';
import { commandOf, type ParsedFlags, wrongCount } from './command-line.js';
import { type MemoryPlace, openMemoryPlace } from './memory-place.js';
import { print, type Terminal } from './terminal.js';

/** `memory show | search | remember | …`, the commands for people. Throws an AxeError. */
export async function memoryCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { cwd, env } = terminal;
  const [agent = '', ...words] = flags.positionals;
  if (agent === '') throw wrongCount(flags, 'requires at least 1 arg(s), only received 0');
  const name = commandOf(flags.usage).replace('memory ', '');
  const command = parseMemoryCommand([name, ...words], {
    prefix: 'axe-action memory',
    flags: {
      isApart: flags.bool('apart'),
      last: flags.int('last') ?? 0,
      purge: flags.bool('purge'),
      forPath: await pathInRepository(flags.string('for'), cwd),
    },
  });

  const place = await openMemoryPlace(agent, flags, terminal, command.kind === 'remember');
  const secrets = secretValues(env);
  const session: CommandSession = {
    store: place.store,
    path: place.path,
    loads: place.agent?.config.memory,
    clock: createClock(),
    signal: new AbortController().signal,
    secrets,
    ...notesAccess(place, flags.string('dir'), terminal),
    // In a step of a workflow the runner names the person who started it; on a laptop nothing does.
    origin: place.writesProvenance ? { actor: env['GITHUB_ACTOR'] || undefined } : undefined,
  };
  if (place.missing !== undefined && (name === 'show' || name === 'search'))
    await requireMemory(session, place.missing);
  const result = await runMemoryCommand(command, session);
  // Strangers can have written the memory, so control characters are removed.
  const clean = (line: string) => sanitize(line, 'log', secrets);
  if (result.kind === 'failed') {
    const { message, remedy, changed } = result;
    const prefix = changed ? 'it was done, but ' : '';
    throw new AxeError(clean(`${prefix}${message}`), { remedy: remedy && clean(remedy) });
  }
  for (const warning of result.warnings ?? [])
    terminal.stderr.write(`warning: ${clean(warningText(warning))}\n`);
  const { text, entries = [], quoted = formatEntries(entries), below = '' } = result;
  if (flags.bool('json')) {
    const json = JSON.stringify(entries.map(describe), (_key, value) => value ?? null);
    print(terminal, json);
    return 0;
  }

  const isHere = flags.string('dir') === '' && flags.string('repo') === '';
  const head =
    command.kind === 'show' && isHere && quoted === ''
      ? `${text}\n${elsewhere(place.isOfRepository)}`
      : text;
  print(terminal, clean([head, quoted, below].filter((part) => part !== '').join('\n\n')));
  return 0;
}

/**
 * The code that notes rest on. To show what a review is given, it is that of the repository whose
 * memory it is; a person who remembers a line has it in the checkout.
 */
function notesAccess(
  { agent, path, github }: MemoryPlace,
  dir: string,
  { cwd, env }: Terminal,
): Pick<CommandSession, 'readBase' | 'notesFor'> {
  if (agent === undefined || !hasNotes(agent)) return {};
  const checkout = { client: undefined, cwd, env };
  const readBase = createBaseReader({ kind: 'local' }, checkout);
  const workdir = resolve(cwd, agent.config.workdir);
  return {
    readBase,
    async notesFor(tree, file) {
      const place = await placeOfNotes(github, dir, cwd);
      const readShown =
        github === undefined
          ? readBase
          : createBaseReader(place, { ...checkout, client: github.client });
      const { signal } = new AbortController();
      const memory = { tree, agent, path, place, workdir, now: createClock().now() };
      return await notesGiven(memory, [file], { readBase: readShown, signal });
    },
  };
}

/** The repository whose runs wrote the notes; a folder of memory is that of its checkout. */
async function placeOfNotes(
  github: MemoryPlace['github'],
  dir: string,
  cwd: string,
): Promise<TriggerPlace> {
  const root = dir === '' ? undefined : await findRepositoryRoot(resolve(cwd, dir));
  const origin = root === undefined ? undefined : await readOrigin(root);
  const repository = github?.repository ?? origin;
  return repository === undefined ? { kind: 'local' } : { kind: 'repository', repository };
}

/** For people who look for the memory of a workflow on this machine. */
function elsewhere(isOfRepository: boolean): string {
  const machine = isOfRepository ? 'this repository on this machine' : 'this machine';
  return `This is the memory of ${machine}. For a workflow's memory add \`--repo <owner/name>\`, or \`--dir .axe/memory\` in a checkout. Runs of \`offline/rules\` keep theirs in its folder \`offline\`, which \`--dir\` can name.`;
}

/**
 * A path as entries name it, from the root of the repository. One that begins with a dot or at the
 * root of the disk, as shells complete it, is seen from the current folder.
 */
async function pathInRepository(path: string, cwd: string): Promise<string> {
  if (!/^(?:\.{1,2}[\\/]|[\\/]|[A-Za-z]:)/.test(path)) return path;
  const root = (await findRepositoryRoot(cwd)) ?? cwd;
  return relative(root, resolve(cwd, path)).replaceAll('\\', '/');
}

/** A name without an agent and without a memory is misspelled. Throws an AxeError. */
async function requireMemory(
  session: CommandSession,
  { message, exitCode, remedy }: AxeError,
): Promise<void> {
  const view = await viewMemory(session);
  if (view.kind === 'failed') return;
  const { tree, log, apart } = view;
  if ([log.path, apart.path, `offline/${log.path}`].some((path) => tree.has(path))) return;
  throw new AxeError(message, { exitCode, remedy: `${remedy}\n  ${elsewhere(false)}` });
}

function describe({
  id,
  isApart,
  line,
  heading: time,
  task,
  result,
  provenance,
}: MemoryEntry): object {
  const {
    actor,
    on,
    files = [],
    run,
    sha,
    model,
    isComputed = false,
  }: Partial<Provenance> = provenance ?? {};
  const origin = { actor, on, files, run, sha, model, computed: isComputed };
  return { id, time, apart: isApart, line, task, result, ...origin };
}
