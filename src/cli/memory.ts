import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createClock } from '../adapters/host/clock.js';
import { editText } from '../adapters/host/editor.js';
import { createFiles } from '../adapters/host/files.js';
import type {
  CommandSession,
  Exported,
  MemoryCommandResult,
  MemoryDone,
  MemoryListing,
} from '../commands/memory/command-session.js';
import { runMemoryCommand } from '../commands/memory/memory-command.js';
import { type MemoryCommand, parseMemoryCommand } from '../commands/memory/parse-memory-command.js';
import { nothingToPush, pushMemory } from '../commands/memory/push-memory.js';
import { openCheckoutMemory } from '../composition/checkout-memory.js';
import { COMMITTED_FOLDER } from '../core/defaults.js';
import { AxeError, type ExitCode, orAxeError } from '../core/errors.js';
import type { MemoryEntry } from '../core/memory/commands/entry.js';
import { formatEntries } from '../core/memory/commands/format.js';
import type { Provenance } from '../core/memory/provenance.js';
import { mergeThree } from '../core/memory/three-way.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { secretValues } from '../core/sanitize/secret-names.js';
import { decodeBytes, encodeBytes } from '../core/text/bytes.js';
import { type Warning, warningText } from '../core/warning.js';
import { type Flag, type ParsedFlags, parseFlags } from './flags.js';
import { type CommandHelp, formatCommandHelp, groupHelp } from './help.js';
import { MEMORY_COMMANDS, MEMORY_HELP } from './memory-help.js';
import { type MemoryPlace, openMemoryPlace } from './memory-place.js';
import { renderEntries } from './render-entries.js';
import { print, type Terminal } from './terminal.js';

/** `memory show | search | verify | …` (D14): what people do with a memory themselves. Throws an AxeError. */
export async function memoryCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = '', ...rest] = words;
  const help = MEMORY_COMMANDS.find(({ usage }) => usage.split(' ')[1] === name);
  if (help === undefined) {
    print(terminal, groupHelp(name, { help: MEMORY_HELP, commands: MEMORY_COMMANDS }));
    return 0;
  }
  const flags = parseFlags(rest, help);
  if (flags.help) {
    print(terminal, formatCommandHelp(help));
    return 0;
  }
  if (name === 'merge') return await mergeFilesOfGit(flags, terminal);
  if (name === 'push') return await pushFolder(flags, terminal);
  try {
    return await runHere(name, { help, flags, terminal });
  } finally {
    terminal.stdin.destroy();
  }
}

async function runHere(
  name: string,
  {
    help,
    flags,
    terminal,
  }: { readonly help: CommandHelp; readonly flags: ParsedFlags; readonly terminal: Terminal },
): Promise<ExitCode> {
  const all = flags.bool('all');
  const [agent = '', ...rest] = all ? ['', ...flags.positionals] : flags.positionals;
  if (agent === '' && !all) {
    throw new AxeError('requires at least 1 arg(s), only received 0', {
      remedy: `Usage: \`axe-action ${help.usage}\`.`,
    });
  }
  const command = parseMemoryCommand(
    [name, ...givenFlags(help, flags), '--', ...rest, ...givenText(name, flags)],
    `axe-action ${help.usage}`,
  );
  const mayCreate = command.kind === 'remember' || command.kind === 'import';
  const place = await openMemoryPlace({ agent, flags, terminal, all, mayCreate });
  const secrets = secretValues(terminal.env);
  const json = flags.bool('json');
  const result = await runMemoryCommand(
    command,
    {
      ...makeHand(place, secrets, terminal),
      list: listTo(terminal, { json, raw: flags.bool('raw'), secrets, ifEmpty: elsewhere(command, flags) }),
    },
    place.unknown,
  );
  return finish(result, { command, json, secrets, terminal });
}

/** Where else memory may be, for somebody who looks for that of a workflow on this machine. */
function elsewhere({ kind }: MemoryCommand, flags: ParsedFlags): string {
  const isHere = flags.string('dir') === '' && flags.string('repo') === '';
  return kind === 'show' && isHere
    ? 'This is the memory of this machine. For that of a workflow add `--repo <owner/name>`, or `--dir .axe/memory` in a checkout.'
    : '';
}

/** How a list is written. */
interface ListOptions {
  readonly json: boolean;
  readonly raw: boolean;
  readonly secrets: readonly string[];
  /** What is said below a list without entries; empty for nothing. */
  readonly ifEmpty: string;
}

/** Lists are written as they are read, since they may be long. In a pipe every byte is as on a branch or in a comment. */
function listTo(
  terminal: Terminal,
  { json, raw, secrets, ifEmpty }: ListOptions,
): (listing: MemoryListing) => Promise<void> {
  const { stdout } = terminal;
  const clean = (text: string) => sanitize(text, 'log', secrets);
  if (json)
    return async ({ entries, warnings }) => {
      warn(warnings, clean, terminal);
      await writeAll(stdout, jsonParts(entries));
    };
  const isForPeople = stdout.isTTY === true && !raw;
  const view = { nowMs: createClock().now().getTime(), width: stdout.columns ?? 80 };
  const [format, between] = isForPeople
    ? ([(entries: readonly MemoryEntry[]) => renderEntries(entries, view), '\n\n'] as const)
    : ([formatEntries, '\n'] as const);
  return async ({ above, entries, below, warnings }) => {
    warn(warnings, clean, terminal);
    await writeAll(stdout, textParts());
    async function* textParts(): AsyncGenerator<string> {
      yield clean(above);
      let before = '\n\n';
      let isEmpty = true;
      for await (const group of entries) {
        yield before + clean(format(group));
        before = between;
        isEmpty = false;
      }
      if (isEmpty && ifEmpty !== '') yield `\n${ifEmpty}`;
      yield below === '' ? '\n' : `\n\n${clean(below)}\n`;
    }
  };
}

/** Entries as one line of JSON. */
async function* jsonParts(entries: AsyncIterable<readonly MemoryEntry[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const group of entries) {
    yield before + group.map((entry) => JSON.stringify(describe(entry))).join(',');
    before = ',';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

/** Writes no faster than what is written is taken, and nothing more to a reader that has seen enough (`… | head`). */
async function writeAll(stdout: Terminal['stdout'], parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    if (stdout.write(part)) continue;
    const isTaken = await once(stdout, 'drain').then(
      () => true,
      () => false,
    );
    if (!isTaken) return;
  }
}

function warn(warnings: readonly Warning[], clean: (text: string) => string, { stderr }: Terminal): void {
  for (const warning of warnings) stderr.write(`warning: ${clean(warningText(warning))}\n`);
}

/** The flags that are the command's own, as words. */
function givenFlags({ usage, flags: known }: CommandHelp, flags: ParsedFlags): readonly string[] {
  const own = usage.startsWith('memory remember') ? OWN_FLAGS : [...OWN_FLAGS, 'text'];
  return known.flatMap((flag) => (own.includes(flag.name) ? asWord(flag, flags) : []));
}

function asWord({ name, kind }: Flag, flags: ParsedFlags): readonly string[] {
  switch (kind) {
    case 'string':
      return flags.string(name) === '' ? [] : [`--${name}=${flags.string(name)}`];
    case 'int':
      return flags.int(name) === undefined ? [] : [`--${name}=${flags.int(name)}`];
    case 'bool':
      return flags.bool(name) ? [`--${name}`] : [];
  }
}

const OWN_FLAGS: readonly string[] = ['lane', 'last', 'purge', 'out', 'all'];

/** What `remember` takes last may be given by `--text` too. */
function givenText(name: string, flags: ParsedFlags): readonly string[] {
  return name === 'remember' && flags.string('text') !== '' ? [flags.string('text')] : [];
}

function makeHand(
  { store, path, writesProvenance }: MemoryPlace,
  secrets: readonly string[],
  terminal: Terminal,
): CommandSession {
  const { env } = terminal;
  return {
    store,
    path,
    clock: createClock(),
    signal: new AbortController().signal,
    secrets,
    origin: writesProvenance ? originOf(env) : undefined,
    edit: (draft) => editInTerminal(draft, terminal),
    readImport: (from) => readImport(from, terminal),
    writeExport: async (out, exported) => {
      await writeExport(out, exported, terminal);
      return undefined;
    },
  };
}

/** In a step of a workflow the runner says who started it; on a laptop nobody does. */
function originOf(env: Terminal['env']): Omit<Provenance, 'id'> {
  return {
    run: undefined,
    job: undefined,
    event: 'local',
    sha: undefined,
    actor: env['GITHUB_ACTOR'] || undefined,
    trust: 'trusted',
    model: undefined,
  };
}

interface DescribeOptions {
  readonly command: MemoryCommand;
  readonly json: boolean;
  readonly secrets: readonly string[];
  readonly terminal: Terminal;
}

/** What is remembered may be a stranger's, so nothing that a terminal would act on is printed. */
function finish(
  result: MemoryCommandResult,
  { command, json, secrets, terminal }: DescribeOptions,
): ExitCode {
  const clean = (text: string) => sanitize(text, 'log', secrets);
  if (result.kind === 'failed') {
    const { message, remedy } = result;
    throw new AxeError(clean(message), remedy === undefined ? {} : { remedy: clean(remedy) });
  }
  if (result.isListed === true) return 0;
  warn(result.warnings, clean, terminal);
  if (json) print(terminal, formatMemoryJson(result));
  else if (command.kind === 'export') terminal.stderr.write(`${clean(result.text)}\n`);
  else print(terminal, clean(result.text));
  const isSound = result.findings?.every(({ severity }) => severity === 'information') ?? true;
  return isSound ? 0 : 1;
}

/** Entries or findings as one line of JSON; what is not known is null. */
function formatMemoryJson({ entries = [], findings }: MemoryDone): string {
  if (findings !== undefined)
    return JSON.stringify(findings.map((one) => ({ ...one, line: one.line ?? null })));
  return JSON.stringify(entries.map(describe));
}

function describe({ id, lane, line, heading, task, result, provenance }: MemoryEntry): object {
  return {
    id,
    time: heading,
    lane,
    line,
    task: task ?? null,
    result: result ?? null,
    actor: provenance?.actor ?? null,
    event: provenance?.event ?? null,
    run: provenance?.run ?? null,
    job: provenance?.job ?? null,
    sha: provenance?.sha ?? null,
    model: provenance?.model ?? null,
    trust: provenance?.trust ?? null,
  };
}

/** `memory merge <base> <ours> <theirs> [path]`: a merge driver of git's. The result is written to `<ours>`. */
async function mergeFilesOfGit({ positionals }: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const [baseFile = '', oursFile = '', theirsFile = '', path = oursFile, ...more] = positionals;
  if (theirsFile === '' || more.length > 0) {
    throw new AxeError(`accepts 3 or 4 arg(s), received ${positionals.length}`, {
      remedy: 'Usage: `axe-action memory merge <base> <ours> <theirs> [path]`, in git `%O %A %B %P`.',
    });
  }
  const [base, ours, theirs] = [
    await readImport(baseFile, terminal),
    await readImport(oursFile, terminal),
    await readImport(theirsFile, terminal),
  ];
  const merged = mergeThree(path, { base, ours, theirs, forgotten: new Set() });
  await createFiles().replace(resolve(terminal.cwd, oursFile), merged);
  return 0;
}

/** `memory push`: commits and pushes what has changed in a folder of a checkout. Throws an AxeError. */
async function pushFolder(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { env, cwd } = terminal;
  const folder = flags.string('dir') || COMMITTED_FOLDER;
  const signal = new AbortController().signal;
  const opened = await openCheckoutMemory(
    { dir: resolve(cwd, folder), branch: flags.string('branch'), env, clock: createClock() },
    signal,
  );
  const result = opened === undefined ? nothingToPush(folder) : await pushMemory(opened, signal);
  const clean = (text: string) => sanitize(text, 'log', secretValues(env));
  if (result.kind === 'done') {
    print(terminal, clean(result.text));
    return 0;
  }
  const { message, remedy } = result;
  throw new AxeError(clean(message), remedy === undefined ? {} : { remedy: clean(remedy) });
}

/** Lets the user change a text in `$VISUAL`, or else `$EDITOR`. Throws an AxeError. */
async function editInTerminal(draft: string, { env }: Terminal): Promise<string> {
  const editor = [env['VISUAL'], env['EDITOR']].find((name) => (name ?? '').trim() !== '');
  if (editor === undefined) {
    throw new AxeError('$EDITOR environment variable is not set', { remedy: 'Set it, or give `--text`.' });
  }
  return await editText(editor, draft);
}

/** The text of a file to import, or of standard input for `-`; invalid UTF-8 survives. Throws an AxeError. */
async function readImport(from: string, { cwd, stdin }: Terminal): Promise<string> {
  if (from === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return decodeBytes(Buffer.concat(chunks));
  }
  const path = resolve(cwd, from);
  const file = await orAxeError(() => createFiles().open(path, { followLinks: true }));
  if (file === undefined) {
    throw new AxeError(`open ${path}: no such file or directory`, {
      remedy: 'Check the path, which counts from the current folder.',
    });
  }
  try {
    return await orAxeError(async () => decodeBytes(await file.read(0, file.bytes)));
  } finally {
    await file.close();
  }
}

/** Writes what is exported to a new file or folder, or to standard output for `-`. Throws an AxeError. */
async function writeExport(out: string, exported: Exported, { cwd, stdout }: Terminal): Promise<void> {
  const target = resolve(cwd, out);
  if (exported.kind === 'folder') return await writeFolder(target, exported.tree);
  if (out === '-') {
    stdout.write(encodeBytes(exported.text));
    return;
  }
  const isNew = await orAxeError(() => createFiles().createExclusive(target, exported.text));
  if (!isNew) throw inTheWay(target);
}

async function writeFolder(folder: string, tree: ReadonlyMap<string, string>): Promise<void> {
  const files = createFiles();
  const found = await orAxeError(() => files.stat(folder));
  const isFree =
    found === undefined || (found.kind === 'directory' && (await files.list(folder)).length === 0);
  if (!isFree) throw inTheWay(folder);
  for (const [path, text] of tree) {
    await orAxeError(() => files.createExclusive(join(folder, ...path.split('/')), text));
  }
}

function inTheWay(path: string): AxeError {
  return new AxeError(`${path} exists already`, {
    remedy: 'No file is overwritten. Name another one with `--out`.',
  });
}
