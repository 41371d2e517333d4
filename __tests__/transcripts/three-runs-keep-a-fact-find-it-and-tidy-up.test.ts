import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { formatEntry, formatProvenance } from '../../src/memory/run-log.js';
import { ANALYST_PROMPT, PROPOSAL_PROMPT } from '../../src/prompt/gc-prompts.js';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import { runMain, type StepResult } from '../helpers/run-action.js';
import { promptOf } from '../helpers/wire-prompt.js';
import { idOf, nameOf } from './memory-command-scene.js';
import { resultsIn } from './memory-scene.js';
import {
  blockIn,
  branchFiles,
  calmNotes,
  dayAgo,
  type Memory,
  type NotesStage,
  newResults,
  notesStage,
} from './notes-scene.js';
import { told, troubles } from './stage.js';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const SHOWN = join(EXAMPLES, 'three-runs-with-notes.md');
const TOML = readFileSync(join(EXAMPLES, 'agents/notes.toml'), 'utf8');
const SOURCES = {
  'src/session.ts': 'export const SESSION_HOURS = 12;\n',
  'docs/decisions.md': 'Sessions outlive the nightly import, which takes up to nine hours.\n',
};

const QUESTIONS = {
  first: 'How long does a session last, and why?',
  second: 'May the nightly import take ten hours?',
  late: 'Is anything left to do?',
} as const;

const FACT =
  'Sessions last 12 hours (`src/session.ts`), longer than the nightly import: `docs/decisions.md`.';

const OPEN = '- [ ] Find out how long the import really takes';
const CLOSED = '- [x] Find out how long the import really takes: up to nine hours, ten are allowed';

/** What the model does in each of the runs, turn by turn. */
const SCRIPTS: Readonly<Record<keyof typeof QUESTIONS, readonly ModelReply[]>> = {
  first: [
    calls({ name: 'memory_search', input: { query: 'session' } }),
    calls({ name: 'search_files', input: { text: 'session', ignore_case: true } }),
    calls(
      { name: 'memory_write', input: { target: 'long_term', content: FACT } },
      { name: 'memory_write', input: { target: 'scratchpad', content: OPEN } },
      {
        name: 'memory_write',
        input: { target: 'daily', content: 'Found out how long sessions last.' },
      },
    ),
    text('Twelve hours, so that a session outlives the nightly import (`docs/decisions.md`).'),
  ],
  second: [
    calls({ name: 'memory_search', input: { query: 'import session' } }),
    calls({
      name: 'memory_write',
      input: { target: 'scratchpad', mode: 'overwrite', content: CLOSED },
    }),
    text('Yes: a session lasts twelve hours (`src/session.ts`), so ten are within it.'),
  ],
  late: [text('Nothing is open.')],
};

const ANALYSIS = `## Patterns Found
Most questions are about sessions and the nightly import.

## Repeated Work
The weekly question what changed in the import was answered five times from the files.

## Recommendations
Say in the system prompt that \`docs/decisions.md\` is to be read first.`;

const RULE = 'Search your notes before you search the files: you may have found it out before.';
const PROPOSAL = {
  title: 'Have the agent read the decisions first',
  reason: 'Five runs searched all files for what docs/decisions.md says.',
  edits: [
    { path: 'axe/agents/notes.toml', find: RULE, replace: `${RULE} Then read docs/decisions.md.` },
  ],
};

it('notes hold a fact over three runs, and the pages of examples/ show what happened', async () => {
  const stage = await setUp();
  const files: Memory[] = [branchFiles(stage)];
  const first = await ask(stage, 'first');
  files.push(branchFiles(stage));
  const second = await ask(stage, 'second');
  files.push(branchFiles(stage));
  // In a process of its own, since another run happens meanwhile in this one.
  const inputs = { agent: 'notes', prompt: '', mode: 'gc', 'report-to': 'pull-request' };
  const third = await runMain(stage.stepOn('branch', { inputs }));
  files.push(branchFiles(stage));

  for (const step of [first, second, third]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
  }
  const [, , afterSecond = {}, afterThird = {}] = files;
  expect(requestsOf(stage, 'first')[0]?.system).not.toContain(FACT);
  const asked = requestsOf(stage, 'second');
  expect(blockIn(asked[0]?.system ?? '')).toContain(FACT);
  expect(asked[1]?.results).toEqual([expect.stringContaining(FACT)]);

  // Trimmed to the five newest of seven; what a run appended meanwhile stays beside them.
  expect(resultsIn(afterSecond['notes.md'] ?? '')).toHaveLength(7);
  const kept = resultsIn(afterThird['notes.md'] ?? '');
  expect(kept).toEqual([...resultsIn(afterSecond['notes.md'] ?? '').slice(-5), 'Nothing is open.']);
  expect(resultsIn(afterThird['notes.md.bak'] ?? '')).toEqual(
    ['Week 1.', 'Week 2.'].map((week) => `${week} Nothing changed.`),
  );
  expect(afterThird['MEMORY.md']).toBe(afterSecond['MEMORY.md']);

  const [pull] = [...stage.repo.pulls.values()];
  const proposed = stage.github.files(nameOf(stage), 'axe-gc/notes')['axe/agents/notes.toml'];
  expect(proposed).toBe(
    TOML.replace(PROPOSAL.edits[0]?.find ?? '', PROPOSAL.edits[0]?.replace ?? ''),
  );
  expect(stage.github.files(nameOf(stage))['axe/agents/notes.toml']).toBe(TOML);

  const page = [
    INTRODUCTION,
    '## The first run writes a fact down',
    shownRun(stage, 'first', first),
    shownChanges(files[0], files[1]),
    '## The second run finds it',
    shownRun(stage, 'second', second),
    shownChanges(files[1], files[2]),
    '## The third run tidies up',
    GC_INTRODUCTION,
    fence(
      'yaml',
      ['agent: notes', 'mode: gc', 'memory-store: branch', 'report-to: pull-request'].join('\n'),
    ),
    'The job summary:',
    fence('markdown', third.summary),
    `The pull request, \`${pull?.head.ref}\` into \`${pull?.base.ref}\`:`,
    fence('markdown', `${pull?.title}\n\n${pull?.body?.replace(/[0-9a-f]{40}/, '<sha>')}`),
    fence('diff', diffOf(TOML, proposed ?? '')),
    shownChanges(files[2], files[3]),
  ].join('\n\n');
  expectPage(`${calmNotes(page).trimEnd()}\n`);
});

const INTRODUCTION = `# Three runs with notes

What the agent [notes](agents/notes.toml) did in three runs of the action, with its memory on a branch. The model was
played by a script; all else is as it came: what the model was sent, what its tools told it, what the branch held and
what people saw. What differs from run to run stands in angle brackets. Made by
\`__tests__/transcripts/three-runs-keep-a-fact-find-it-and-tidy-up.test.ts\`, which also compares it.

Before the first run the branch \`axe-memory\` holds five entries of the agent, one of each week.`;

const GC_INTRODUCTION = `Once a month [a workflow](workflows/gc.yml) has the memory looked through. The file of the agent says \`last_n = 5\`.
While the model was reading the log, another run of the agent ended and added its entry.
What is removed is noted by its id in the \`.state.md\` files, so that no older copy brings it back.`;

/** Five weeks of an agent, on the branch that it keeps them on. */
async function setUp(): Promise<NotesStage> {
  const stage: NotesStage = await notesStage({
    validate: true,
    base: { 'axe/agents/notes.toml': TOML, ...SOURCES },
    branch: { 'notes.md': [1, 2, 3, 4, 5].map(weekly).join('') },
    async model(request) {
      const { system, messages } = promptOf(request);
      if (system.startsWith(PROPOSAL_PROMPT))
        return text(JSON.stringify(PROPOSAL), { inputTokens: 1240, outputTokens: 96 });
      if (system.startsWith(ANALYST_PROMPT)) {
        await ask(stage, 'late');
        return text(ANALYSIS, { inputTokens: 986, outputTokens: 118 });
      }
      const turn = messages.filter((message) => message.startsWith('assistant:')).length;
      const run = runOf(messages[0] ?? '');
      return (run === undefined ? undefined : SCRIPTS[run][turn]) ?? text('I do not know.');
    },
  });
  return stage;
}

function weekly(week: number): string {
  const provenance = formatProvenance({
    id: idOf(`01kg${week}`),
    run: `${week}/1`,
    sha: 'ec26c3e',
    actor: 'octocat',
    model: 'anthropic/claude-sonnet-4-5',
  });
  const timestamp = new Date(`${dayAgo(42 - week * 7)}T06:00:00Z`);
  const task = 'What changed in the nightly import this week?';
  return formatEntry({ timestamp, task, result: `Week ${week}. Nothing changed.`, provenance });
}

function ask(stage: NotesStage, run: keyof typeof QUESTIONS): Promise<StepResult> {
  return stage.runOn('branch', { inputs: { agent: 'notes', prompt: QUESTIONS[run] } });
}

function runOf(message: string): keyof typeof QUESTIONS | undefined {
  return (['first', 'second', 'late'] as const).find((run) => message.includes(QUESTIONS[run]));
}

function calls(...made: readonly ScriptedToolCall[]): ModelReply {
  return { kind: 'tools', calls: made };
}

/**
 * What the model was sent in a run: the system prompt, and what tools had told it since its last
 * reply.
 */
function requestsOf({ model }: NotesStage, run: keyof typeof QUESTIONS) {
  return model
    .requests()
    .map((request) => ({ ...promptOf(request), results: newResults(request) }))
    .filter(({ messages }) => runOf(messages[0] ?? '') === run);
}

function shownRun(stage: NotesStage, run: 'first' | 'second', step: StepResult): string {
  const requests = requestsOf(stage, run);
  const { system = '' } = requests[0] ?? {};
  const turns = SCRIPTS[run].flatMap((reply, turn) => {
    if (reply.kind === 'text') return [`answers: ${reply.text}`];
    if (reply.kind !== 'tools') return [];
    return reply.calls.map(({ name, input }, index) => {
      const result = requests[turn + 1]?.results[index] ?? '';
      return `${name} ${JSON.stringify(input)}\n${shortened(result).replaceAll(/^(?=.)/gm, '    ')}`;
    });
  });
  return [
    'Started on a schedule, with',
    fence('yaml', [`agent: notes`, `prompt: ${QUESTIONS[run]}`, 'memory-store: branch'].join('\n')),
    'Memory in its system prompt, which is sent once:',
    fence('markdown', shortened(system.slice(system.indexOf('\n\n---\n\n')).trim())),
    'What the model does, and what it is told:',
    fence('text', turns.join('\n\n')),
    ...(told(step).length === 0 ? [] : ['Annotations:', fence('text', told(step).join('\n'))]),
    'The job summary:',
    fence('markdown', shortened(step.summary)),
  ].join('\n\n');
}

/** Of entries that are alike the first stands for all. */
function shortened(content: string): string {
  return content.replaceAll(ALIKE, (others) => {
    const count = others.split('**Task:**').length - 1;
    const note = `[${count} more ${count === 1 ? 'entry, which says' : 'entries, which say'} the same]\n`;
    return others.endsWith('\n\n') ? `${note}\n` : note;
  });
}

/** Entries of {@link weekly} behind another one. */
const ALIKE =
  /(?<=Nothing changed\.\n(?:<!-- [^\n]*\n)?\n)(?:## [^\n]*\n[^\n]*\n[^\n]*Nothing changed\.\n(?:<!-- [^\n]*\n)?\n?)+/g;

/** The branch after a run: what is new or other than before, and the names of the rest. */
function shownChanges(before: Memory = {}, after: Memory = {}): string {
  const names = Object.keys(after).sort();
  const changed = names.filter(
    (path) => after[path] !== before[path] && !path.endsWith('.state.md'),
  );
  const gone = Object.keys(before).filter((path) => !(path in after));
  return [
    'The branch afterwards:',
    fence('text', [...names, ...gone.map((path) => `${path} (removed)`)].join('\n')),
    ...changed.map(
      (path) => `\`${path}\`:\n\n${fence('markdown', newPart(before[path], after[path] ?? ''))}`,
    ),
  ].join('\n\n');
}

/** What was added to a text that is otherwise the same; else the whole text. */
function newPart(before: string | undefined, after: string): string {
  if (before === undefined || before === '' || !after.startsWith(before)) return shortened(after);
  return `[…]\n\n${after.slice(before.length)}`;
}

function fence(language: string, content: string): string {
  const marks = '`'.repeat(
    Math.max(2, ...[...content.matchAll(/`{3,}/g)].map(([run]) => run.length)) + 1,
  );
  return `${marks}${language}\n${content.trimEnd()}\n${marks}`;
}

/** Lines that differ, of texts in which one place does. */
function diffOf(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ].join('\n');
}

function expectPage(page: string): void {
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(SHOWN, page);
  expect(page).toBe(readFileSync(SHOWN, 'utf8'));
}
