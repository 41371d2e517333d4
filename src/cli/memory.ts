import { createClock } from '../lib/clock.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { count } from '../lib/text/number.js';
import { warningText } from '../lib/warning.js';
import type { MemoryCommandResult, MemoryDone } from '../memory/commands/command-session.js';
import { formatEntries, type MemoryEntry } from '../memory/commands/entry.js';
import { runMemoryCommand } from '../memory/commands/memory-command.js';
import { parseMemoryCommand } from '../memory/commands/parse-memory-command.js';
import type { Provenance } from '../memory/provenance.js';
import { sanitize } from '../safety/sanitize.js';
import { secretValues } from '../safety/secret-names.js';
import { commandOf, type ParsedFlags } from './flags.js';
import { openMemoryPlace } from './memory-place.js';
import { print, type Terminal } from './terminal.js';

/** `memory show | search | remember | …` (D14): what people do with a memory themselves. Throws an AxeError. */
export async function memoryCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const [agent = '', ...words] = flags.positionals;
  if (agent === '') {
    throw new AxeError('requires at least 1 arg(s), only received 0', {
      remedy: `Usage: \`axe-action ${flags.usage}\`.`,
    });
  }
  const name = commandOf(flags.usage).replace('memory ', '');
  const lane = flags.string('lane') === 'untrusted' ? 'untrusted' : 'trusted';
  const command = parseMemoryCommand([name, ...words], {
    prefix: 'axe-action memory',
    flags: { lane, last: flags.int('last') ?? 0, purge: flags.bool('purge') },
  });
  const place = await openMemoryPlace(agent, flags, terminal, command.kind === 'remember');
  const { store, path, writesProvenance, unknown } = place;
  const secrets = secretValues(terminal.env);
  const session = {
    store,
    path,
    clock: createClock(),
    signal: new AbortController().signal,
    secrets,
    origin: writesProvenance ? originOf(terminal.env) : undefined,
  };
  const result = await runMemoryCommand(command, session, unknown);
  const isHere = flags.string('dir') === '' && flags.string('repo') === '';
  const ifEmpty = command.kind === 'show' && isHere ? ELSEWHERE : '';
  finish(result, { json: flags.bool('json'), raw: flags.bool('raw'), ifEmpty, secrets, terminal });
  return 0;
}

/** For somebody who looks for the memory of a workflow on this machine. */
const ELSEWHERE =
  'This is the memory of this machine. For that of a workflow add `--repo <owner/name>`, or `--dir .axe/memory` in a checkout.';

/** In a step of a workflow the runner says who started it; on a laptop nobody does. */
function originOf(env: Terminal['env']): Omit<Provenance, 'id'> {
  return { event: 'local', actor: env['GITHUB_ACTOR'] || undefined, trust: 'trusted' };
}

interface PrintOptions {
  readonly json: boolean;
  readonly raw: boolean;
  /** What is said below a list without entries; empty for nothing. */
  readonly ifEmpty: string;
  readonly secrets: readonly string[];
  readonly terminal: Terminal;
}

/** What is remembered may be a stranger's, so nothing that a terminal would act on is printed. */
function finish(result: MemoryCommandResult, options: PrintOptions): void {
  const { json, secrets, terminal } = options;
  const clean = (text: string) => sanitize(text, 'log', secrets);
  if (result.kind === 'failed') {
    const { message, quoted, remedy, changed } = result;
    const sentence = `${changed ? 'it was done, but ' : ''}${message}`;
    const told = quoted === undefined ? sentence : `${sentence}:\n${quoted}`;
    throw new AxeError(clean(told), { remedy: remedy && clean(remedy) });
  }
  for (const warning of result.warnings ?? [])
    terminal.stderr.write(`warning: ${clean(warningText(warning))}\n`);
  print(
    terminal,
    json ? JSON.stringify((result.entries ?? []).map(describe)) : clean(formatDone(result, options)),
  );
}

/** In a pipe every byte is as on a branch or in a comment. */
function formatDone(
  { text, quoted, entries = [], below = '' }: MemoryDone,
  { raw, ifEmpty, terminal: { stdout } }: PrintOptions,
): string {
  const isForPeople = stdout.isTTY === true && !raw;
  const view = { nowMs: createClock().now().getTime(), width: stdout.columns ?? 80 };
  const shown = quoted ?? (isForPeople ? renderEntries(entries, view) : formatEntries(entries));
  const head = shown === '' && ifEmpty !== '' ? `${text}\n${ifEmpty}` : text;
  return [head, shown, below].filter((part) => part !== '').join('\n\n');
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

interface EntryView {
  readonly nowMs: number;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Lines of a result that are shown; `memory show <agent> <id>` shows all. */
const MAX_LINES = 6;
const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

/** Entries for reading in a terminal: how long ago, by whom, and the text in lines that fit. */
export function renderEntries(entries: readonly MemoryEntry[], view: EntryView): string {
  return entries.map((entry) => renderEntry(entry, view)).join('\n\n');
}

function renderEntry(entry: MemoryEntry, { nowMs, width }: EntryView): string {
  const { id, heading, lane, timeMs, provenance, task, result, body } = entry;
  const from = [provenance?.event, provenance?.actor === undefined ? undefined : `by ${provenance.actor}`];
  const facts = [heading, ...from, lane === 'trusted' ? undefined : lane].filter((one) => one !== undefined);
  const room = Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH) - LABEL_WIDTH;
  const fields: readonly (readonly [string, string])[] =
    task === undefined && result === undefined
      ? [['', body]]
      : [
          ['Task', task ?? ''],
          ['Result', result ?? ''],
        ];
  return [
    `${formatAge(nowMs - timeMs)} · ${id}`,
    `${' '.repeat(LABEL_WIDTH)}${facts.join(' ')}`,
    ...fields.flatMap(([label, text]) => renderField(label, text, room)),
  ].join('\n');
}

const LABEL_WIDTH = 10;

function renderField(label: string, text: string, room: number): readonly string[] {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => wrap(line.trimEnd(), room));
  const left = lines.length - MAX_LINES;
  const shown = left > 0 ? [...lines.slice(0, MAX_LINES), `… ${count(left, 'more line')}`] : lines;
  return shown.map((line, index) => `${`  ${index === 0 ? label : ''}`.padEnd(LABEL_WIDTH)}${line}`);
}

const AGES: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `2 hours ago`; clocks of machines differ, so that what is a little ahead is now. */
function formatAge(ageMs: number): string {
  const found = AGES.find(([, ms]) => ageMs >= ms);
  if (found === undefined) return 'just now';
  const [unit, ms] = found;
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(-Math.floor(ageMs / ms), unit);
}

/** At spaces where there are some; a longer word is cut. Wide characters take two columns. */
function wrap(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, room))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (columns(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, room: number): readonly string[] {
  const found: string[] = [''];
  for (const character of word) {
    const last = found.at(-1) ?? '';
    if (columns(last + character) <= room) found[found.length - 1] = last + character;
    else found.push(character);
  }
  return found;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

function columns(text: string): number {
  let all = 0;
  for (const character of text) all += WIDE.test(character) ? 2 : 1;
  return all;
}
