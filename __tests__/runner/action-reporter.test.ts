import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { Models } from '../../src/loop/asker.js';
import { SUMMARY_REQUEST, summaryMessage } from '../../src/loop/compact.js';
import { type Message, userMessage } from '../../src/loop/messages.js';
import type { RestoreResult } from '../../src/memory/store.js';
import { formatNoteWrites } from '../../src/report/views/memory.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import { describeLoaded, loadedMemory } from '../../src/run/views/loaded.js';
import { createActionReporter, createTranscript } from '../../src/runner/action-reporter.js';
import { memoryOf, reportOf } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';

const RESTORED = {
  kind: 'restored',
  text: '',
  loaded: 2,
  total: 2,
  truncated: undefined,
  location: '.axe/memory/bot.md',
  warnings: [],
} as const;

const OVERLOADED = new ProviderError('overloaded', 'come back later');

/** A reporter and the lines it wrote. */
function reporter(secrets: readonly string[] = []) {
  const lines: string[] = [];
  const created = createActionReporter((line) => void lines.push(line), secrets);
  return { ...created, lines };
}

it('the audit of notes has the newest 100 writes, and none of a memory in another repository', () => {
  const time = new Date('2026-02-21T10:00:00Z');
  const reporter = createActionReporter(
    () => undefined,
    [],
    () => time,
  );
  const write = (bytes: number) =>
    reporter.event({ kind: 'note-written', action: 'append', path: 'MEMORY.md', bytes });
  for (let bytes = 1; bytes <= 101; bytes += 1) write(bytes);
  expect(reporter.noteWrites.map(({ bytes }) => bytes)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 2),
  );
  const [first] = reporter.noteWrites;
  expect(formatNoteWrites(first === undefined ? [] : [first])).toBe(
    '<details><summary>Writes of notes: 1</summary>\n\n| Time (UTC) | File | Size | Write |\n| --- | --- | --- | --- |\n| 2026-02-21T10:00:00Z | `MEMORY.md` | 2 bytes | added |\n\n</details>',
  );
  reporter.hideMemory();
  write(500);
  expect(reporter.noteWrites.at(-1)).toMatchObject({ bytes: 101 });
  expect(formatNoteWrites([])).toBe('');
});

it('keeps each warning once', () => {
  const { warn, warnings } = reporter();
  const told = { code: 'memory-damaged', message: 'It is damaged.' } as const;
  for (const warning of [told, { ...told, remedy: 'Delete it.' }, { ...told }]) warn(warning);
  expect(warnings).toEqual([told, { ...told, remedy: 'Delete it.' }]);
});

const called = (tool: string, input: unknown, isError: boolean, durationMs: number) =>
  ({ kind: 'tool-call', turn: 1, tool, input, isError, durationMs }) as const;

describe('the job log', () => {
  it('names no note of a memory in another repository, and nothing that its tools are called for (D14)', () => {
    const { event, hideMemory, lines } = reporter();
    hideMemory();
    event({
      kind: 'note-written',
      action: 'overwrite',
      path: 'projects/x/notes/secret-plan.md',
      bytes: 0,
    });
    event(called('delete_note', { path: 'notes/secret-plan.md' }, false, 3));
    expect(lines).toEqual(['  Note rewritten: a note, 0 bytes', '  delete_note: 3 ms']);
  });

  const asked = (task: string) =>
    ({ kind: 'sub-agent-called', agent: 'linter', depth: 1, task }) as const;
  const ended = (result: Extract<RunEvent, { kind: 'sub-agent-ended' }>['result']) =>
    ({ kind: 'sub-agent-ended', agent: 'linter', durationMs: 42, result }) as const;
  const retry = {
    kind: 'retry',
    attempt: 1,
    maxRetries: 2,
    error: OVERLOADED,
    delayMs: 512,
  } as const;

  it.each<[RunEvent, string]>([
    [
      { kind: 'note-written', action: 'append', path: 'MEMORY.md', bytes: 1600 },
      '  Note added to: MEMORY.md, 1,600 bytes',
    ],
    [
      { kind: 'model-reply', turn: 1, stopReason: 'stop', called: [], tools: 0 },
      'Turn 1: answered (stop)',
    ],
    [retry, 'overloaded: come back later; trying again in 512 ms (attempt 1 of 2)'],
    [
      { kind: 'fallback', from: 'openai/a', to: 'ollama/b', error: OVERLOADED },
      'openai/a cannot be reached; asking ollama/b',
    ],
    [asked('Lint\nall of it.'), '  Sub-agent linter: Lint all of it.'],
    [asked('x'.repeat(121)), `  Sub-agent linter: ${'x'.repeat(119)}…`],
    [
      { kind: 'too-long', model: 'p/m', windowTokens: 32_768 },
      'p/m takes about 32,768 tokens; leaving out earlier turns',
    ],
    [
      { kind: 'loading', model: 'llamacpp/m' },
      'The server of llamacpp/m is still loading the model; waiting for it',
    ],
    [ended({ kind: 'answer', text: 'A long answer.' }), '  Sub-agent linter answered after 42 ms'],
    [
      ended({ kind: 'failure', detail: 'it broke' }),
      '  Sub-agent linter failed after 42 ms: it broke',
    ],
    [
      ended({ kind: 'part', text: 'So f', detail: 'the answer was cut' }),
      '  Sub-agent linter answered only in part after 42 ms: the answer was cut',
    ],
    [called('read_file', { path: 'a.ts' }, false, 12), '  read_file a.ts: 12 ms'],
    [called('url_fetch', undefined, true, 4230), '  url_fetch: failed after 4.2 s'],
    [
      { ...called('url_fetch', undefined, true, 4230), reason: 'Error: no such\nhost' },
      '  url_fetch: failed after 4.2 s: no such host',
    ],
    [
      { kind: 'verified', looks: 0, confirmed: 0, refuted: 0, unverified: 1 },
      'Second check of 1 finding: not verified',
    ],
    [
      { kind: 'verified', looks: 2, confirmed: 1, refuted: 1, unverified: 1 },
      'Second check of 3 findings: 1 confirmed, 1 refuted, 1 not verified',
    ],
  ])('has a line for %j', (event, expected) => {
    const { event: tell, lines } = reporter();
    tell(event);
    expect(lines).toEqual([expected]);
  });

  it('has no line for a request, nor for a sub-agent that answered, of which there is one already', () => {
    const { event: tell, lines } = reporter();
    tell({ kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 0 });
    tell(called('call_agent', { agent: 'a' }, false, 12));
    expect(lines).toEqual([]);
  });

  it('has no secret and no workflow command of a title, a store, a model or a sub-agent in it', async () => {
    const wild = 'a\n::error::oops hunter2-hunter2\n##[error]b\u001b[2J';
    const { event, lines } = reporter(['hunter2-hunter2']);
    const { plan } = await reportOf('planned', {}, { trigger: pullRequest({ title: wild }) });
    event({
      kind: 'run-started',
      plan,
      memory: memoryOf({ ...RESTORED, location: wild }),
    });
    const begun = lines.splice(0).join('\n');
    expect(begun).toContain('***');
    expect(begun).not.toMatch(/hunter2|^\s*::|##\[/m);
    event(called(wild, { path: wild }, true, 1));
    event({ kind: 'sub-agent-called', agent: 'linter', depth: 1, task: wild });
    const failed = { kind: 'failure', detail: wild } as const;
    event({ kind: 'sub-agent-ended', agent: 'linter', durationMs: 1, result: failed });
    const error = new ProviderError('server', wild);
    event({ kind: 'retry', attempt: 1, maxRetries: 2, error, delayMs: 1 });
    event({ kind: 'model-reply', turn: 1, stopReason: wild, called: [], tools: 0 });
    event({ kind: 'model-reply', turn: 1, stopReason: '', called: [wild], tools: 0 });
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toMatch(/^::group::Turn 1: a /);
    for (const line of lines) {
      expect(line).toContain('***');
      expect(line.replace(/^::group::/, '')).not.toMatch(/hunter2|^\s*::|##\[|\p{Cc}\[2J/mu);
    }
  });
});

const use = { input: 1400, output: 38, cacheRead: 0, cacheWrite: 0 };
const call = (tool: string, path?: string) => called(tool, { path }, false, 5);
const reply = (turn: number, ...names: readonly string[]) =>
  ({ kind: 'model-reply', turn, stopReason: 'end_turn', called: names, tools: 2 }) as const;

it('a turn in the job log is one line with its tools, tokens and what the run has cost so far, which unfolds to its calls', () => {
  const { event, lines } = reporter();
  event({ kind: 'tokens-used', use, costUsd: 0.0032 });
  event(reply(1, 'read_file', 'read_file', 'submit_review'));
  for (const path of ['a.ts', 'b.ts']) event(call('read_file', path));
  event({ kind: 'note-written', action: 'append', path: 'MEMORY.md', bytes: 1 });
  event(call('submit_review'));
  event({ kind: 'tokens-used', use, costUsd: undefined });
  event(reply(2));
  expect(lines).toEqual([
    '::group::Turn 1: read_file × 2, submit_review · 1,438 tokens · $0.0032 so far',
    '  read_file a.ts: 5 ms',
    '  read_file b.ts: 5 ms',
    '  Note added to: MEMORY.md, 1 byte',
    '  submit_review: 5 ms',
    '::endgroup::',
    'Turn 2: answered (end_turn) · 1,438 tokens',
  ]);
});

it('a turn in the job log is closed where a call has no end, so that nothing else is folded away with it', () => {
  const { event, endTurn, lines } = reporter();
  event(reply(1, 'a', 'b'));
  event(call('a'));
  event({ kind: 'model-request', turn: 2, messages: 3, toolResults: 1, tools: 2 });
  event(reply(2, 'a'));
  endTurn();
  endTurn();
  expect(lines).toEqual([
    '::group::Turn 1: a, b',
    '  a: 5 ms',
    '::endgroup::',
    '::group::Turn 2: a',
    '::endgroup::',
  ]);
});

it.each<[RestoreResult, string]>([
  [{ ...RESTORED, loaded: 1, total: 1 }, '1 entry loaded from .axe/memory/bot.md'],
  [{ ...RESTORED, total: 2 }, '2 entries loaded from .axe/memory/bot.md'],
  [{ ...RESTORED, total: undefined }, 'the newest 2 entries loaded from .axe/memory/bot.md'],
  [{ ...RESTORED, total: 7 }, 'the last 2 of 7 entries loaded from .axe/memory/bot.md'],
  [
    { kind: 'empty', location: 'x', isNowhere: true, warnings: [] },
    'nothing is kept (`memory-store: none`)',
  ],
  [
    { kind: 'failed', message: 'permission denied', location: 'x' },
    'not loaded: permission denied',
  ],
])('the loaded memory %j is reported as “%s”', (restored, text) => {
  expect(describeLoaded(loadedMemory(memoryOf(restored), undefined, false))).toBe(text);
});

const SECRET = 'hunter2-hunter2-hunter2';

/** The transcript of requests for these messages, each answered by that content. */
async function transcriptOf(
  requests: readonly (readonly Message[])[],
  content: readonly unknown[],
  isHidden = false,
  secrets: readonly string[] = [SECRET],
) {
  const transcript = createTranscript(secrets);
  if (isHidden) transcript.hideMemory();
  const reply = { content, finishReason: { unified: 'stop' }, usage: {}, warnings: [] };
  const model = {
    provider: 'anthropic',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async () => reply,
  };
  const models = { open: async () => model } as unknown as Models;
  const opened = await transcript.recordModels(models).open({ provider: 'anthropic', model: 'm' });
  for (const prompt of requests)
    await opened.doGenerate({ prompt: [...prompt] } as LanguageModelV4CallOptions);
  return transcript.endWith({ conclusion: 'success' });
}

const SYSTEM: Message = {
  role: 'system',
  content: 'You review.\n\n## Memory\n\nAda keeps the lighthouse.',
};
const CALL = {
  type: 'tool-call',
  toolCallId: '1',
  toolName: 'memory_read',
  input: '{"path":"Ada.md"}',
};
const result = (toolCallId: string, toolName: string, value: string) =>
  ({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }) as const;
const RESULT: Message = {
  role: 'tool',
  content: [result('1', 'memory_read', 'Ada.'), result('2', 'read_file', 'A file.')],
};
const TASK = userMessage('The task.');

it('the transcript of a run has each message once, and says which request a later one continues', async () => {
  const lines = (await transcriptOf([[SYSTEM, TASK], [TASK], [SYSTEM, TASK, RESULT]], [CALL]))
    .trimEnd()
    .split('\n');
  const requests = lines.flatMap((line) => {
    const { type, continues, messages } = JSON.parse(line);
    return type === 'request' ? [{ continues, messages }] : [];
  });
  expect(requests).toEqual([
    { continues: undefined, messages: [SYSTEM, TASK] },
    { continues: 1, messages: [] },
    { continues: 2, messages: [RESULT] },
  ]);
});

it.each<[string, readonly Message[]]>([
  ['the system prompt', [SYSTEM]],
  ['what a tool over notes is given and answers', [RESULT]],
  ['the request for a summary, and the answer', [userMessage(`${SUMMARY_REQUEST}\n\nAda.`)]],
  ['the summary of earlier turns', [summaryMessage('Ada.') ?? TASK]],
])(
  'the transcript of a run of memory in another repository does not hold %s',
  async (_, messages) => {
    const text = { type: 'text', text: 'Ada again.' };
    const isSummary = JSON.stringify(messages).includes('work on your task has become too long');
    const content = isSummary ? [CALL, text] : [CALL];
    const prompt = [TASK, ...messages];
    expect(await transcriptOf([prompt], content)).toContain('Ada');
    // A request is sent again after an error, or for a longer answer.
    const hidden = await transcriptOf([prompt, prompt], content, true);
    expect(hidden).not.toContain('Ada');
    expect(hidden).toContain('The task.');
    expect(hidden.includes('A file.')).toBe(messages.includes(RESULT));
  },
);

it('the transcript of a run is JSON, whatever a secret takes with it', async () => {
  const text = { type: 'text', text: 'hunter2', more: 'and-hunter3' };
  const lines = await transcriptOf([[TASK]], [text], false, ['hunter2","more":"and-hunter3']);
  for (const line of lines.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
  expect(lines).not.toContain('and-hunter3');
});

it('what was posted is in the log when it is posted, and a text alone is not', () => {
  const url = 'https://github.com/octocat/hello/pull/2#pullrequestreview-7';
  const lines: string[] = [];
  const { event } = createActionReporter((line) => lines.push(line), []);
  event({ kind: 'posted', url, isReview: true });
  event({ kind: 'published', posts: [{ kind: 'review', number: 2, comments: [] }], url });
  event({ kind: 'published', posts: [{ kind: 'labels', added: ['bug'], removed: [] }] });
  event({ kind: 'published', posts: [], url });
  expect(lines).toEqual([
    `Posted a review on #2. ${url}`,
    'Added the label `bug`.',
    `Posted: ${url}`,
  ]);
});
