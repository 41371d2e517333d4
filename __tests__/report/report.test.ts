import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BufferedPublications } from '../../src/findings/buffered-publications.js';
import type { Check } from '../../src/findings/checks.js';
import type { Severity } from '../../src/findings/finding.js';
import { openFindingsTitle } from '../../src/findings/post/check-progress.js';
import { metGates, type ReviewResult } from '../../src/findings/post/record.js';
import { DEFAULT_FAIL_ON } from '../../src/lib/defaults.js';
import { AxeError, ProviderError, type Warning } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { SaveResult } from '../../src/memory/store.js';
import { type FinishedRun, withGates } from '../../src/report/conclusion.js';
import { recordFindings, recordRun } from '../../src/report/record-run.js';
import { reportRun, writeReviewFiles } from '../../src/report/report.js';
import type { Plan, PublicationResult, RunReport } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import { inspectInputs } from '../../src/runner/inputs.js';
import type { Runner } from '../../src/runner/runner.js';
import { FULL_RECORD, PLAIN_RECORD, REPORT } from '../findings/records.js';
import { known } from '../findings/threads.js';
import {
  AGENT,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { completed, exhausted, reportOf, STATS, WRITER } from '../helpers/reports.js';
import { parseFileCommand, parseWorkflowCommands } from '../helpers/runner-files.js';
import { tempDir } from '../helpers/temp.js';
import { SCHEDULE } from '../helpers/triggers.js';

const SECRET = 'hunter2-hunter2';

// The toolkit looks up the summary file once per process, so all tests share the folder.
const folder = mkdtempSync(join(tmpdir(), 'axe-action-runner-'));
const FILES = {
  GITHUB_OUTPUT: join(folder, 'output'),
  GITHUB_STATE: join(folder, 'state'),
  GITHUB_STEP_SUMMARY: join(folder, 'summary'),
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the runner has of a step when it is over. */
async function stepOf(
  step: (runner: Runner) => Promise<void>,
  patch: Partial<Runner> = {},
): Promise<ReturnType<typeof collect>> {
  for (const file of Object.values(FILES)) writeFileSync(file, '');
  setProcessEnv(FILES);
  const log: string[] = [];
  let hasFailed = false;
  const temp = tempDir('runner-temp');
  const runner: Runner = {
    env: FILES,
    workspace: '/work',
    temp,
    log: (line) => void log.push(line),
    fail: () => {
      hasFailed = true;
    },
    onCancel: () => undefined,
    ...patch,
  };
  const stdout = await printed(() => step(runner));
  return collect({ log, hasFailed, temp, stdout });
}

const onShown = async () => undefined;

/** What reaches standard output while a call runs. */
async function printed(call: () => Promise<void>): Promise<string> {
  const chunks: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  try {
    await call();
  } finally {
    process.stdout.write = write;
  }
  return chunks.join('');
}

function collect(end: {
  log: readonly string[];
  hasFailed: boolean;
  temp: string;
  stdout: string;
}) {
  const { annotations, masks } = parseWorkflowCommands(end.stdout);
  return {
    ...end,
    annotations,
    masks,
    outputs: parseFileCommand(readFileSync(FILES.GITHUB_OUTPUT, 'utf8')),
    state: parseFileCommand(readFileSync(FILES.GITHUB_STATE, 'utf8')),
    summary: readFileSync(FILES.GITHUB_STEP_SUMMARY, 'utf8'),
  };
}

interface Reported {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly repository?: string;
  readonly warnings?: readonly Warning[];
  readonly runner?: Partial<Runner>;
}

async function report(
  of: RunReport,
  { inputs = {}, repository, warnings = [], runner }: Reported = {},
) {
  const secrets = [SECRET];
  return await stepOf(
    (own) =>
      reportRun({
        record: recordOf(of, { ...asked(inputs, repository), warnings }),
        runner: own,
        secrets,
        onShown,
      }),
    runner,
  );
}

function recordOf(
  report: FinishedRun,
  options: ReturnType<typeof asked> & { readonly warnings: readonly Warning[] },
) {
  return recordRun(report, { trigger: undefined, ...options });
}

function asked(given: Readonly<Record<string, string>>, repository = 'octocat/hello') {
  const all = { agent: 'bot', 'fail-on': DEFAULT_FAIL_ON.join(), ...given };
  const env = {
    GITHUB_REPOSITORY: repository,
    ...Object.fromEntries(
      Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  };
  const { failOn, inputs } = inspectInputs(env);
  return { failOn, isHidden: inputs.memory.isElsewhere };
}

async function fail(thrown: unknown, failOn = DEFAULT_FAIL_ON.join()) {
  const given = { ...asked({ 'fail-on': failOn }), warnings: [] };
  const record = recordOf({ kind: 'failed', thrown }, given);
  return await stepOf((runner) => reportRun({ record, secrets: [SECRET], runner, onShown }));
}

const CHECK: Check = { name: 'Tested', level: 'error', paths: [], text: 'Each has a test.' };

const reviewed = (severity: Severity): PublicationResult => {
  const findings = [{ ...PLAIN_RECORD, severity, title: `Logs ${SECRET}` }];
  const reviewResult = { agent: 'bot', report: { ...REPORT, findings }, isUnpublished: false };
  return { posts: [], reviewResult };
};

it('a review fails the step if `fail-on` lists the gate, and reports why', async () => {
  const inputs = { 'fail-on': 'failure, findings:major, coverage' };
  const step = await report(await reportOf('ran', { published: reviewed('major') }), { inputs });
  expect(step).toMatchObject({ hasFailed: true, outputs: { conclusion: 'findings' } });
  expect(step.annotations.map(({ level, message }) => [level, message])).toEqual([
    ['error', '1 major finding is open, and `fail-on` lists `findings:major`'],
    ['error', '19 of 20 files reviewed, and `fail-on` lists `coverage`'],
  ]);
  const minor = await report(await reportOf('ran', { published: reviewed('minor') }), {
    inputs: { 'fail-on': 'findings:major' },
  });
  expect(minor).toMatchObject({
    hasFailed: false,
    annotations: [],
    outputs: { conclusion: 'success' },
  });
});

it.each<[string, RunOutcome, string, string]>([
  ['findings', completed(''), 'coverage, findings:major', '1 major finding is open'],
  ['success', completed(''), 'coverage', ''],
  ['max-turns', exhausted('turns', ''), 'findings:major', 'no turns left'],
])('the reason of the conclusion %s is its own', async (conclusion, outcome, failOn, reason) => {
  const ran = await reportOf('ran', { published: reviewed('major') });
  const step = await report({ ...ran, outcome }, { inputs: { 'fail-on': failOn } });
  expect(step.hasFailed).toBe(true);
  expect(step.outputs).toMatchObject({ conclusion });
  expect(step.outputs['reason'] ?? '').toBe(reason);
});

it('the reason of a run that nobody hears of is no gate', async () => {
  const ran = await reportOf('ran', { published: reviewed('major') });
  const published = { ...ran.published, failure: 'denied' };
  const given = { ...asked({ 'fail-on': 'findings:major' }), warnings: [] };
  expect(recordOf({ ...ran, published }, given)).toMatchObject({
    conclusion: 'failure',
    reason: 'not-published',
  });
});

it.each<[string, Plan['checks'], BufferedPublications['checks'], boolean]>([
  ['that this run asks none of', undefined, undefined, false],
  ['that there are none of', [], undefined, false],
  ['that could not be read', 'unread', undefined, true],
  ['that were to be asked, and were not', [CHECK], undefined, true],
  ['that were asked', [CHECK], [{ check: CHECK, answer: 'pass', why: '', quote: '' }], false],
  ['that fail', [CHECK], [{ check: CHECK, answer: 'fail', why: '', quote: '' }], true],
])('`fail-on: checks` with checks %s', async (_, checks, rows, hasFailed) => {
  const ran = await reportOf('ran');
  const buffered = { ...ran.buffered, checks: rows };
  const step = await report(
    { ...ran, buffered, plan: { ...ran.plan, checks } },
    { inputs: { 'fail-on': 'checks' } },
  );
  expect(step.hasFailed).toBe(hasFailed);
  const asked = rows === undefined ? 'nobody knows which checks fail' : '1 check fails';
  const message = `${asked}, and \`fail-on\` lists \`checks\``;
  expect(step.annotations.map((annotation) => annotation.message)).toEqual(
    hasFailed ? [message] : [],
  );
});

it('a run that completed writes the answer to output and file, and no workflow command of it reaches the runner, whatever the answer is', async () => {
  const of = await reportOf('ran');
  const piece = fc.constantFrom(
    ...[
      '\n',
      '\r\n',
      '\r',
      '<<',
      '<<EOF',
      'EOF\n',
      '=',
      'response<<ghadelimiter_',
      'ghadelimiter_',
    ],
    ...[
      'conclusion=failure\n',
      '::error::x',
      '::add-mask::a',
      '::set-output name=a::b',
      '##[error]x',
    ],
    ...[' ::stop-commands::t', '%0A', 'a', ' '],
  );
  const answers = fc.array(piece, { maxLength: 20 }).map((pieces) => `a${pieces.join('')}z`);
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      const step = await report({ ...of, outcome: completed(answer) });
      expect(step.outputs).toMatchObject({ conclusion: 'success', response: answer });
      expect(readFileSync(step.outputs['response-file'] ?? '', 'utf8')).toBe(answer);
      const { names } = parseWorkflowCommands(step.log.join('\n'));
      expect([names, step.annotations, step.masks]).toEqual([[], [], []]);
    }),
  );
});

it('a run that completed leaves the answer of an earlier step of the job in its file', async () => {
  const of = await reportOf('ran', { agents: { bot: AGENT } });
  const first = await report({ ...of, outcome: completed('One.') });
  const runner = { temp: first.temp };
  const second = await report({ ...of, outcome: completed('Two.') }, { runner });
  const third = await report({ ...of, outcome: completed('Three.') }, { runner });
  const files = [first, second, third].map(({ outputs }) => outputs['response-file'] ?? '');
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['One.', 'Two.', 'Three.']);
  expect(files[2]).toBe(join(first.temp, 'axe-action-response-answer-3.md'));
});

it('a run that completed reveals no secret, in any output (D24)', async () => {
  const answer = `The key is ${SECRET}.\n::error::gone\n`;
  const of = await reportOf('ran', { secrets: [SECRET] });
  const warnings = [{ code: 'publish-failed', message: `about ${SECRET}` }] as const;
  const step = await report({ ...of, outcome: completed(answer) }, { warnings });
  const { stdout, log, outputs, summary } = step;
  const file = readFileSync(outputs['response-file'] ?? '', 'utf8');
  for (const text of [stdout, log.join('\n'), JSON.stringify(outputs), summary, file]) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain('***');
  }
  expect(step.log.join('\n')).not.toMatch(/^\s*::/m);
  // A program that reads the output gets the answer as it is.
  expect(step.outputs['response']).toBe('The key is ***.\n::error::gone\n');
});

it('a run that completed writes its file as the model wrote it, with tokens that are no secret of the job', async () => {
  const answer = `Use \`ghp_${'x'.repeat(36)}\` in the fixture, and ${SECRET} nowhere.\n`;
  const of = await reportOf('ran', { secrets: [SECRET] });
  const { outputs } = await report({ ...of, outcome: completed(answer) });
  expect(readFileSync(outputs['response-file'] ?? '', 'utf8')).toBe(answer.replace(SECRET, '***'));
  expect(outputs['response']).toBe('Use `***` in the fixture, and *** nowhere.\n');
});

const LOG = '## 2026-02-21T10:01:00Z\n**Task:** Audit\n**Result:** Passwords are long.\n\n';
const inputs = { 'memory-repo': 'octocat/memory' };
const failed = { kind: 'failed', reason: 'denied', message: 'not accessible' } as const;
const everything = ({ stdout, log, outputs, summary, state }: Awaited<ReturnType<typeof report>>) =>
  [stdout, log.join('\n'), JSON.stringify(outputs), summary, JSON.stringify(state)].join('\n');

it.each<[string, SaveResult | undefined]>([
  ['saved', undefined],
  ['could not be saved', failed],
])(
  'a memory in another repository (D14) shows only the id of an entry that %s, in every output',
  async (_, save) => {
    const parts = { memory: { 'bot.md': LOG }, ...(save === undefined ? {} : { save }) };
    const of = await reportOf('ran', parts, { prompt: 'Find the weakest door.' });
    const step = await report({ ...of, outcome: completed('') }, { inputs });
    expect(everything(step)).not.toMatch(/Audit|Passwords|weakest|the answer/);
    expect(step.outputs['memory-entry-id']).toBe('id1');
    expect(step.summary).toContain('entry `id1`');
  },
);

const save = { kind: 'failed', reason: 'denied', message: 'the token may only read' } as const;

it.each<[string, FakeDependenciesParts]>([
  ['a branch that cannot be written', { save }],
  [
    'a branch that could not be read either',
    { restore: { kind: 'failed', location: 'k', message: 'no answer' }, save },
  ],
])(
  'an entry that was not saved is one annotation, which names the event and which the post step does not repeat: %s (D14, C3 48, C3 53)',
  async (_, parts) => {
    const deps = createFakeDependencies({ permissions: WRITER, ...parts });
    const of = await runPipeline(makeRequest({ trigger: SCHEDULE, inWorkflow: true }), deps);
    const step = await report(of, { warnings: deps.warnings });
    expect(step.annotations).toMatchObject([
      {
        level: 'warning',
        title: 'Memory not saved',
        message: expect.stringContaining('`schedule`'),
      },
    ]);
    expect(step.state).toEqual({ told: 'true' });
  },
);

describe('warnings', () => {
  const tell = async (warnings: readonly Warning[]) =>
    (await report(await reportOf('ran'), { warnings })).annotations;

  it('are one annotation for each code, at the first place (D35)', async () => {
    const file = 'axe/agents/bot.toml';
    const warnings: readonly Warning[] = [
      { code: 'agent-unknown-key', message: 'unknown key `a`', at: { file, line: 3, column: 1 } },
      { code: 'context-truncated', message: '100% is, cut: here', at: { file: 'src/a,b.ts' } },
      { code: 'agent-unknown-key', message: 'unknown key `b`', at: { file, line: 9 } },
    ];
    const message = 'unknown key `a`\nunknown key `b`';
    expect(await tell(warnings)).toMatchObject([
      { level: 'warning', title: 'Unknown key in the agent', message, file, line: 3 },
      {
        title: 'Context cut to fit',
        message: '100% is, cut: here',
        file: 'src/a,b.ts',
        line: undefined,
      },
    ]);
  });

  it('about a log that was not loaded and therefore not saved are one annotation (D14)', async () => {
    const loading: Warning = { code: 'memory-load-failed', message: 'not loaded' };
    const saving: Warning = { code: 'memory-save-failed', message: 'not saved' };
    expect(await tell([loading, saving])).toMatchObject([{ message: 'not saved' }]);
    expect(await tell([loading])).toMatchObject([{ message: 'not loaded' }]);
  });

  it.each<[string, () => Promise<RunReport>]>([
    [
      'skipped',
      async () => ({
        kind: 'skipped',
        decision: { kind: 'skip', reason: 'fork', message: 'it is a fork' },
      }),
    ],
    [
      'checked alone',
      async () => ({ kind: 'validated', validation: { where: 'axe/agents', agents: [] } }),
    ],
  ])('of a run that was %s are in its summary too', async (_, reportOfRun) => {
    const warnings = [{ code: 'input-invalid', message: 'about `redact`' }] as const;
    const { summary } = await report(await reportOfRun(), { warnings });
    expect(summary).toContain('\n- about `redact`');
  });

  it('are at most ten, the worst first, and all of them are in the summary', async () => {
    const codes = [
      ...([
        'agent-unknown-key',
        'tool-not-available',
        'context-file-skipped',
        'context-truncated',
      ] as const),
      ...([
        'memory-truncated',
        'memory-max-entries',
        'memory-store-notice',
        'model-warning',
      ] as const),
      ...(['answer-truncated', 'publish-failed', 'memory-save-failed'] as const),
    ];
    const warnings = codes.map((code) => ({ code, message: `about ${code}` }));
    const { annotations, summary } = await report(await reportOf('ran'), { warnings });
    expect(annotations.map(({ message }) => message)).toEqual([
      'about memory-save-failed',
      ...codes.slice(0, 8).map((code) => `about ${code}`),
      '2 more are in the job summary.',
    ]);
    const failed = await report(
      { ...(await reportOf('ran')), outcome: exhausted('turns', '') },
      { warnings },
    );
    expect(failed.annotations.map(({ level }) => level)).toEqual([
      'error',
      ...Array<string>(9).fill('warning'),
    ]);
    expect(failed.annotations.at(-1)?.message).toBe('3 more are in the job summary.');
    for (const code of codes) expect(summary).toContain(`\n- about ${code}\n`);
  });
});

describe('a run that ended before it began', () => {
  it.each<[string, unknown, string, string, boolean]>([
    [
      'a deadline that has passed',
      new ProviderError('timeout', 'over'),
      'timeout',
      'timeout',
      true,
    ],
    ['another error of the provider', new ProviderError('auth', 'no'), 'timeout', 'failure', false],
    ['a bug', new TypeError('not possible'), '', 'failure', true],
    ['something that is not an error', 'oops', '', 'failure', true],
  ])(
    'for %s fails the step if `fail-on` says so',
    async (_, ...[thrown, failOn, conclusion, hasFailed]) => {
      const step = await fail(thrown, failOn);
      expect([step.outputs['conclusion'], step.hasFailed]).toEqual([conclusion, hasFailed]);
      expect(step.annotations).toHaveLength(1);
    },
  );

  it('for a bug requests a report, with the stack', async () => {
    const step = await fail(new TypeError(`not possible with ${SECRET}`));
    expect(step.annotations[0]?.message).toMatch(
      /^This is a bug in axe-action; please report it with these lines:\nTypeError: not possible with \*\*\*\n {4}at /,
    );
    expect(step.summary).not.toContain(SECRET);
    expect((await fail('oops')).annotations[0]?.message).toMatch(/\noops$/);
  });
});

const REVIEW: ReviewResult = {
  agent: 'builtin/pr-reviewer',
  report: {
    ...REPORT,
    findings: [PLAIN_RECORD, { ...FULL_RECORD, state: 'open', body: `Logs ${SECRET}.` }],
  },
  isUnpublished: false,
};

it('the findings conclude a completed run, and no other', () => {
  const gates = { review: REVIEW, coverage: REVIEW.report.coverage, areFindingsUnread: false };
  const [findings, coverage] = metGates(['findings:major', 'coverage'], gates).map((met) => [met]);
  expect(withGates('success', findings ?? [])).toBe('findings');
  expect(withGates('timeout', findings ?? [])).toBe('timeout');
  expect(withGates('success', coverage ?? [])).toBe('success');
});

it('the files of a review hold all findings as JSON and SARIF, without secrets', async () => {
  const temp = tempDir('review-outputs');
  const outputs = await writeReviewFiles(recordFindings(REVIEW, 0), { temp, isReviewed: true }, [
    SECRET,
  ]);
  expect(outputs).toEqual({
    'findings-file': join(temp, `axe-action-findings-builtin-pr-reviewer-${REPORT.head}.json`),
    'sarif-file': join(temp, `axe-action-findings-builtin-pr-reviewer-${REPORT.head}.sarif`),
  });
  const [json, sarif] = [outputs['findings-file'], outputs['sarif-file']].map((file) =>
    readFileSync(file ?? '', 'utf8'),
  );
  expect(JSON.parse(json ?? '').findings).toHaveLength(2);
  expect(JSON.parse(sarif ?? '').runs[0].results).toHaveLength(2);
  expect(`${json}${sarif}`).not.toContain(SECRET);
});

it('headline, check and outputs count the findings that are open after the run', async () => {
  const { isNew: _, ...earlier } = PLAIN_RECORD;
  const finding = { ...earlier, state: 'open' } as const;
  const findings = [
    { ...finding, severity: 'critical', isNew: true },
    { ...finding, severity: 'major' },
    { ...finding, severity: 'major' },
    { ...finding, state: 'settled' },
  ] as const;
  const ran = await reportOf('ran');
  const reviewResult = { ...REVIEW, report: { ...REPORT, findings } };
  const published = { ...ran.published, reviewResult };
  const { outputs, summary } = await report({ ...ran, published });
  expect(summary.split('\n')[0]).toContain(': 3 open: 1 critical, 2 major · 1 new');
  expect(outputs['findings-open']).toBe('3');
  const open = findings.filter(({ state }) => state === 'open').map(() => known());
  expect(openFindingsTitle({ open, isBlocking: false, unposted: [] })).toMatch(/^3 open: /);
});

describe('a review says that nothing is open', () => {
  const settled = { ...PLAIN_RECORD, state: 'settled' } as const;
  const NOTHING_OPEN = { ...REVIEW, report: { ...REPORT, findings: [settled] } };
  const ended = (outcome: RunOutcome) => async () => {
    const ran = await reportOf('ran');
    return { ...ran, outcome, published: { ...ran.published, reviewResult: NOTHING_OPEN } };
  };
  const cut = new AxeError('it was cut');
  const unpublished = async () => {
    const ran = await ended(completed('Fine.'))();
    return { ...ran, published: { ...ran.published, failure: 'denied' } };
  };
  const skipped = async (): Promise<RunReport> => {
    const decision = { kind: 'skip', reason: 'nothing-new', message: 'Nothing is new' } as const;
    return { kind: 'skipped', decision, reviewResult: NOTHING_OPEN };
  };

  it.each<[string, () => Promise<RunReport>, boolean, string]>([
    ['that came to its end', ended(completed('Fine.')), true, 'nothing open'],
    ['that failed', ended({ kind: 'failed', error: cut, stats: STATS }), false, 'not reviewed'],
    [
      'that the model refused',
      ended({ kind: 'refused', answer: '', stats: STATS }),
      false,
      'not reviewed',
    ],
    [
      'that was cut',
      ended({ kind: 'incomplete', answer: '', error: cut, stats: STATS }),
      false,
      'review not finished',
    ],
    ['that reached a limit', ended(exhausted('turns', '')), false, 'review not finished'],
    ['that nobody hears of', unpublished, false, 'failure · not published'],
    ['that was skipped', skipped, false, 'skipped'],
  ])('only if it is one %s', async (_, reportOfRun, isReviewed, words) => {
    const temp = tempDir('review-outputs');
    const { outputs, summary } = await report(await reportOfRun(), { runner: { temp } });
    expect(outputs['findings-open']).toBe(isReviewed ? '0' : '');
    expect(summary.split('\n')[0]).toContain(words);
    expect(summary.includes('nothing open')).toBe(isReviewed);
    const sarif = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8'));
    expect(sarif.runs[0].invocations[0].executionSuccessful).toBe(isReviewed);
  });
});

it('the files of a review hold nothing invisible and no command to the runner in what people read of SARIF', async () => {
  const record = { ...FULL_RECORD, state: 'open', body: 'a\u202e\n::error::b' } as const;
  const review = { ...REVIEW, report: { ...REPORT, findings: [record] } };
  const outputs = await writeReviewFiles(
    recordFindings(review, 0),
    { temp: tempDir('review-outputs'), isReviewed: true },
    [],
  );
  const [result] = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8')).runs[0].results;
  expect(result.message.text).toContain('a\n: :error::b');
});

it('an output that is longer than GitHub takes ends behind a whole line and says so, and JSON is left out', async () => {
  const ran = await reportOf('ran', { agents: { bot: AGENT } });
  const line = `${'word '.repeat(19)}end.`;
  const answer = `${line}\n`.repeat(6000);
  const form = { format: { type: 'json' as const }, check: () => [] };
  const end = { ...ran, plan: { ...ran.plan, form }, outcome: completed(answer) };
  const { outputs } = await report(end);
  const lines = (outputs['response'] ?? '').split('\n');
  expect(outputs['response']?.length).toBeLessThanOrEqual(500_000);
  expect(lines.slice(-2)).toEqual([
    line,
    '[The text is cut here: it is longer than an output can be.]',
  ]);
  expect(outputs['structured-output']).toBe('');
});
