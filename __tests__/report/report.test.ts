import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_FAIL_ON } from '../../src/lib/defaults.js';
import { AxeError, ConfigError, ProviderError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { Warning } from '../../src/lib/warning.js';
import type { SaveResult } from '../../src/memory/store.js';
import { reportRun } from '../../src/report/report.js';
import type { Severity } from '../../src/review/finding.js';
import type { Published, RunReport } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import { readInputs } from '../../src/runner/inputs/inputs.js';
import { createJournal } from '../../src/runner/journal.js';
import type { Runner } from '../../src/runner/runner.js';
import {
  AGENT,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { answerLine } from '../helpers/marks.js';
import { done, memoryReport, refused } from '../helpers/memory-report.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { completed, reportOf, STATS, WRITER } from '../helpers/reports.js';
import { parseFileCommand, parseWorkflowCommands } from '../helpers/runner-files.js';
import { tempDir } from '../helpers/temp.js';
import { comment, issue, pullRequest, SCHEDULE, STRANGER } from '../helpers/triggers.js';
import { PLAIN_RECORD, REPORT } from '../review/records.js';

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
    cwd: '/work',
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

function collect(end: { log: readonly string[]; hasFailed: boolean; temp: string; stdout: string }) {
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

async function report(of: RunReport, { inputs = {}, repository, warnings = [], runner }: Reported = {}) {
  const secrets = [SECRET];
  return await stepOf(
    (own) => reportRun({ report: of, ...asked(inputs, repository), runner: own, warnings, secrets }),
    runner,
  );
}

function asked(given: Readonly<Record<string, string>>, repository = 'octocat/hello') {
  const all = { agent: 'bot', 'fail-on': DEFAULT_FAIL_ON.join(), ...given };
  const { failOn, memory } = readInputs({
    GITHUB_REPOSITORY: repository,
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  });
  return { failOn, isHidden: memory.isElsewhere };
}

async function fail(
  thrown: unknown,
  { warnings = [], failOn = DEFAULT_FAIL_ON.join() }: { warnings?: readonly Warning[]; failOn?: string } = {},
) {
  const given = { ...asked({ 'fail-on': failOn }), warnings, secrets: [SECRET] };
  return await stepOf((runner) => reportRun({ report: { kind: 'failed', thrown }, ...given, runner }));
}

it('goes on without the files of the runner that cannot be written, and warns once of each', async () => {
  const findings = [PLAIN_RECORD];
  const reviewResult = { agent: 'bot', report: { ...REPORT, findings }, isUnpublished: false };
  const of = await reportOf('ran', { published: { line: 'Reviewed #42.', url: undefined, reviewResult } });
  const step = await stepOf(async (runner) => {
    for (const file of Object.values(FILES)) {
      rmSync(file);
      mkdirSync(file);
    }
    writeFileSync(join(runner.temp, 'file'), '');
    const full = { ...runner, temp: join(runner.temp, 'file') };
    await createJournal().pending([{ kind: 'append', path: 'bot.md', id: '1', text: 'x' }]);
    await createJournal().done([]);
    await reportRun({ report: of, ...asked({}), runner: full, warnings: [], secrets: [] });
    for (const file of Object.values(FILES)) {
      rmSync(file, { recursive: true });
      writeFileSync(file, '');
    }
  });
  expect(step.hasFailed).toBe(false);
  expect(step.annotations.map(({ message }) => /^`(\w+)` .*: .+\. Free space/.exec(message)?.[1])).toEqual([
    'GITHUB_STATE',
    'RUNNER_TEMP',
    'GITHUB_OUTPUT',
    'GITHUB_STEP_SUMMARY',
  ]);
  const later = await report(of, { runner: { temp: join(step.temp, 'file') } });
  expect(later.outputs).toMatchObject({ conclusion: 'success', 'findings-open': '1', 'findings-file': '' });
});

describe('a review', () => {
  const reviewed = (severity: Severity): Published => {
    const findings = [{ ...PLAIN_RECORD, severity, title: `Logs ${SECRET}` }];
    const reviewResult = { agent: 'bot', report: { ...REPORT, findings }, isUnpublished: false };
    return { line: 'Reviewed #42.', url: undefined, reviewResult };
  };

  it('has its findings as outputs and as a file, and the step passes', async () => {
    const step = await report(await reportOf('ran', { published: reviewed('critical') }));
    expect(step).toMatchObject({ hasFailed: false, annotations: [] });
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      'findings-open': '1',
      'findings-worst': 'critical',
      coverage: 'part',
    });
    const file = readFileSync(step.outputs['findings-file'] ?? '', 'utf8');
    const sarif = readFileSync(step.outputs['sarif-file'] ?? '', 'utf8');
    expect(JSON.parse(file).findings).toHaveLength(1);
    expect(JSON.parse(sarif).version).toBe('2.1.0');
    expect(file + sarif).not.toContain(SECRET);
  });

  it('fails the step if `fail-on` lists the gate, and reports why', async () => {
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
    expect(minor).toMatchObject({ hasFailed: false, annotations: [], outputs: { conclusion: 'success' } });
  });

  it('that did not take place has no such outputs', async () => {
    const step = await report(await reportOf('ran'));
    expect(Object.keys(step.outputs).filter((name) => /findings|coverage|sarif/.test(name))).toEqual([]);
  });
});

describe('a run that completed', () => {
  it('reports what it did on GitHub even if that has no address', async () => {
    const line = 'Added the label `bug`. Opened the issue #2.';
    const step = await report(await reportOf('ran', { published: { line, url: undefined } }));
    expect(step.log).toContain(line);
    expect(step.summary).toContain(`\n${line}\n`);
  });

  it('has outputs, the answer as a file, log and summary, and no annotation', async () => {
    const url = 'https://github.com/octocat/hello/pull/42#issuecomment-1';
    const of = await reportOf('ran', { published: { line: 'Posted a comment on #42.', url } });
    const answer = 'One.\n\nTwo <<EOF\n';
    const step = await report({ ...of, outcome: completed(answer) });
    expect(step).toMatchObject({ hasFailed: false, annotations: [], state: {} });
    const file = join(step.temp, 'axe-action-response-id1.md');
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      response: answer,
      'response-file': file,
      'memory-saved': 'true',
      'comment-url': url,
    });
    expect(readFileSync(file, 'utf8')).toBe(answer);
    expect(step.log).toEqual([
      '',
      'One.\n\nTwo <<EOF',
      '',
      `Posted a comment on #42. ${url}`,
      'Memory: 1 entry added to /memory/bot.md',
    ]);
    expect(step.summary).toMatch(/^### bot: success · 6\.5 s\n\nOne\.\n/);
  });

  it('writes the answer to output and file, and no workflow command of it reaches the runner, whatever the answer is', async () => {
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
        'conclusion=failure\n',
      ],
      ...[
        '::error::x',
        '::add-mask::a',
        '::set-output name=a::b',
        '##[error]x',
        ' ::stop-commands::t',
        '%0A',
        'a',
        ' ',
      ],
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

  it('without an answer or memory has neither file nor log', async () => {
    const of = await reportOf('ran', { agents: { bot: AGENT } });
    const step = await report({ ...of, outcome: completed(' ') });
    expect(step.log).toEqual([]);
    expect((await report({ ...of, outcome: completed('') })).outputs).not.toHaveProperty('response-file');
  });

  it('without memory has its answer in a file of another name', async () => {
    const step = await report(await reportOf('ran', { agents: { bot: AGENT } }));
    expect(step.outputs['response-file']).toBe(join(step.temp, 'axe-action-response-answer.md'));
  });

  it('leaves the answer of an earlier step of the job in its file', async () => {
    const of = await reportOf('ran', { agents: { bot: AGENT } });
    const first = await report({ ...of, outcome: completed('One.') });
    const runner = { temp: first.temp };
    const second = await report({ ...of, outcome: completed('Two.') }, { runner });
    const third = await report({ ...of, outcome: completed('Three.') }, { runner });
    const files = [first, second, third].map(({ outputs }) => outputs['response-file'] ?? '');
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['One.', 'Two.', 'Three.']);
    expect(files[2]).toBe(join(first.temp, 'axe-action-response-answer-3.md'));
  });

  it('without a temporary folder has no file', async () => {
    const step = await report(await reportOf('ran'), { runner: { temp: '' } });
    expect(step.outputs).not.toHaveProperty('response-file');
    expect(readdirSync(step.temp)).toEqual([]);
  });

  it('writes no summary if the runner has no summary file', async () => {
    expect((await report(await reportOf('ran'), { runner: { env: {} } })).summary).toBe('');
  });

  it('reveals no secret, in any output (D24)', async () => {
    const answer = `The key is ${SECRET}.\n::error::gone\n`;
    const of = await reportOf('ran', { secrets: [SECRET] });
    const warnings = [{ code: 'publish-failed', message: `about ${SECRET}` }] as const;
    const step = await report({ ...of, outcome: completed(answer) }, { warnings });
    const file = step.outputs['response-file'] ?? '';
    const everything = [
      step.stdout,
      step.log.join('\n'),
      JSON.stringify(step.outputs),
      step.summary,
      readFileSync(file, 'utf8'),
    ];
    for (const text of everything) {
      expect(text).not.toContain(SECRET);
      expect(text).toContain('***');
    }
    expect(step.log.join('\n')).not.toMatch(/^\s*::/m);
    // A program that reads the output gets the answer as it is.
    expect(step.outputs['response']).toBe('The key is ***.\n::error::gone\n');
  });

  it('that read text by a stranger reports that two entries were added', async () => {
    const of = await reportOf('ran', {}, { trigger: issue({ author: STRANGER }) });
    expect((await report(of)).log.at(-1)).toBe(
      'Memory: 1 entry added to /memory/bot.md and 1 entry to /memory/untrusted/bot.md',
    );
  });
});

describe('a memory in another repository (D14)', () => {
  const LOG = '## 2026-02-21T10:01:00Z\n**Task:** Audit\n**Result:** Passwords are long.\n\n';
  const inputs = { 'memory-repo': 'octocat/memory' };
  const failed = { kind: 'failed', reason: 'denied', message: 'not accessible' } as const;
  const everything = ({ stdout, log, outputs, summary, state }: Awaited<ReturnType<typeof report>>) =>
    [stdout, log.join('\n'), JSON.stringify(outputs), summary, JSON.stringify(state)].join('\n');

  it.each<[string, SaveResult | undefined]>([
    ['saved', undefined],
    ['could not be saved', failed],
  ])('shows only the id of an entry that %s, in every output', async (_, save) => {
    const parts = { memory: { 'bot.md': LOG }, ...(save === undefined ? {} : { save }) };
    const of = await reportOf('ran', parts, { prompt: 'Find the weakest door.' });
    const step = await report({ ...of, outcome: completed('') }, { inputs });
    expect(everything(step)).not.toMatch(/Audit|Passwords|weakest|the answer/);
    expect(step.outputs['memory-entry-id']).toBe('id1');
    expect(step.summary).toMatch(/[Ee]ntry `id1`/);
  });

  it('shows only the task in a dry run, which is not memory', async () => {
    const of = await reportOf('planned', { memory: { 'bot.md': LOG } });
    const step = await report(of, { inputs });
    expect(everything(step)).not.toMatch(/Audit|Passwords/);
  });

  it('is shown if the other repository is this one', async () => {
    const of = await reportOf('ran', { memory: { 'bot.md': LOG } });
    const step = await report(of, { inputs, repository: 'Octocat/Memory' });
    expect(step.summary).toContain('Passwords are long.');
    expect(step.outputs['memory-entry']).toContain('the answer');
  });
});

describe('a run that did not complete', () => {
  const error = new AxeError('server: boom', { exitCode: 3, remedy: 'Run it again.' });
  const ENDS: readonly (readonly [string, RunOutcome, string])[] = [
    ['failure', { kind: 'failed', error, stats: STATS }, 'server: boom\n  Run it again.'],
    [
      'max-turns',
      { kind: 'exhausted', limit: 'turns', answer: 'So far.', error, stats: STATS },
      'server: boom\n  Run it again.',
    ],
    [
      'refused',
      { kind: 'refused', answer: 'I will not.', stats: STATS },
      'the model refused to answer\n  Word the task differently. Or choose another model.',
    ],
    [
      'incomplete',
      { kind: 'incomplete', answer: 'So f', error, stats: STATS },
      'server: boom\n  Run it again.',
    ],
  ];

  it.each(ENDS)('in %s is one error, and fails the step', async (conclusion, outcome, message) => {
    const of = await reportOf('ran', { agents: { bot: AGENT } });
    const step = await report({ ...of, outcome });
    expect(step.outputs['conclusion']).toBe(conclusion);
    expect(step.annotations).toEqual([
      { level: 'error', title: 'axe-action', message, file: undefined, line: undefined },
    ]);
    expect(step.hasFailed).toBe(true);
  });

  it.each(ENDS)('in %s lets the step pass if it is not listed', async (_, outcome, message) => {
    const of = await reportOf('ran', { agents: { bot: AGENT } });
    const step = await report({ ...of, outcome }, { inputs: { 'fail-on': 'timeout' } });
    expect(step.annotations).toMatchObject([{ level: 'error', message }]);
    expect(step.hasFailed).toBe(false);
  });

  it('has no answer file if there is no answer, and logs what there is', async () => {
    const of = await reportOf('ran', { agents: { bot: AGENT } });
    const failed = await report({ ...of, outcome: { kind: 'failed', error, stats: STATS } });
    expect([failed.log, failed.outputs]).toEqual([
      [],
      expect.not.objectContaining({ 'response-file': expect.anything() }),
    ]);
    const cut = await report({
      ...of,
      outcome: { kind: 'exhausted', limit: 'time', answer: 'So far.', error, stats: STATS },
    });
    expect(cut.log).toEqual(['', 'So far.', '']);
    expect(existsSync(cut.outputs['response-file'] ?? '')).toBe(true);
  });
});

describe('an entry that was not saved', () => {
  const save = { kind: 'failed', reason: 'denied', message: 'the token may only read' } as const;

  it('is reported in the log', async () => {
    const step = await report(await reportOf('ran', { save }));
    expect(step.log.at(-1)).toBe('Memory: not saved: the token may only read');
    expect(step.hasFailed).toBe(false);
  });

  it.each<[string, FakeDependenciesParts]>([
    ['a branch that cannot be written', { save }],
    ['a log that could not be read', { restore: { kind: 'failed', location: 'k', message: 'no answer' } }],
  ])(
    'is one annotation, which names the event and which the post step does not repeat: %s (D14, C3 48, C3 53)',
    async (_, parts) => {
      const deps = createFakeDependencies({ permissions: WRITER, ...parts });
      const of = await runPipeline(makeRequest({ trigger: SCHEDULE, inWorkflow: true }), deps);
      const step = await report(of, { warnings: deps.warnings });
      expect(step.annotations).toMatchObject([
        { level: 'warning', title: 'Memory not saved', message: expect.stringContaining('`schedule`') },
      ]);
      expect(step.state).toEqual({ told: 'true' });
    },
  );

  it('fails the step if `fail-on` lists memory', async () => {
    const inputs = { 'fail-on': 'memory' };
    const step = await report(await reportOf('ran', { save }), { inputs });
    expect(step.hasFailed).toBe(true);
    expect((await report(await reportOf('ran'), { inputs })).hasFailed).toBe(false);
  });
});

describe('a skipped run', () => {
  it('is one notice, and the step passes', async () => {
    const step = await report(await reportOf('skipped', {}, { trigger: pullRequest({ isFork: true }) }));
    expect(step).toMatchObject({ hasFailed: false, log: [] });
    expect(step.outputs).toEqual({ conclusion: 'skipped', reason: 'fork', 'memory-saved': 'false' });
    expect(step.annotations).toMatchObject([
      {
        level: 'notice',
        title: 'Skipped',
        message:
          'Pull request #42 comes from the fork octocat/hello; forks do not start runs by default. ' +
          'Somebody with write access can start it by a comment, where the workflow runs on `issue_comment`, or by a label, on `pull_request_target`.',
      },
    ]);
  });

  it('ends its notice without a remedy if there is none', async () => {
    const trigger = comment({ body: `${answerLine('bot')}\nFine.` });
    const step = await report(await reportOf('skipped', {}, { trigger }));
    expect(step.annotations.map(({ message }) => message)).toEqual([
      'The comment was written by a run of axe-action, which does not answer itself.',
    ]);
  });

  it('in a dry run states what would have happened, and that it is a dry run', async () => {
    const step = await report(await reportOf('planned', { agents: { bot: AGENT } }));
    expect(step).toMatchObject({ hasFailed: false, annotations: [] });
    expect(step.log).toEqual([
      'Agent:  bot (bot.toml)',
      'Model:  openai/m',
      'Task:   Execute the task described in your instructions.',
      'Trust:  trusted, because it runs on your own machine',
      'Memory: off',
      'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.',
    ]);
    expect(step.summary).toMatch(/^### bot: dry run\n/);
  });
});

describe('a memory command', () => {
  it('has log, outputs and summary, and no annotation', async () => {
    const published = { line: 'Posted a comment on #7.', url: 'https://github.com/octocat/hello/issues/7' };
    const step = await report(memoryReport(done(`Forgotten: ${SECRET}`, { changed: true }), { published }));
    expect(step).toMatchObject({ hasFailed: false, annotations: [] });
    expect(step.log).toEqual(['Forgotten: ***', `${published.line} ${published.url}`]);
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      response: 'Forgotten: ***',
      'memory-saved': 'true',
    });
    expect(step.summary).toMatch(/^### bot: \/axe forget\n\nForgotten: \*\*\*\n/);
  });

  it.each([
    ['not-found', 'notice'],
    ['refused', 'notice'],
    ['not-saved', 'error'],
  ] as const)('that was not done, %s, is one %s', async (reason, level) => {
    const result = refused(reason, { message: `it is ${SECRET}`, remedy: 'Look again.' });
    const step = await report(memoryReport(result));
    expect(step).toMatchObject({ hasFailed: level === 'error', log: [] });
    expect(step.annotations).toMatchObject([
      { level, title: 'Command in a comment', message: 'Nothing was done: it is ***. Look again.' },
    ]);
  });
});

describe('warnings', () => {
  const tell = async (warnings: readonly Warning[]) =>
    (await report(await reportOf('ran'), { warnings })).annotations;

  it('are one annotation for each code, at the first place (D35)', async () => {
    expect(
      await tell([
        {
          code: 'agent-unknown-key',
          message: 'unknown key `a`',
          at: { file: 'axe/agents/bot.toml', line: 3, column: 1 },
        },
        { code: 'context-truncated', message: '100% is, cut: here', at: { file: 'src/a,b.ts' } },
        {
          code: 'agent-unknown-key',
          message: 'unknown key `b`',
          at: { file: 'axe/agents/bot.toml', line: 9 },
        },
      ]),
    ).toEqual([
      {
        level: 'warning',
        title: 'Unknown key in the agent',
        message: 'unknown key `a`\nunknown key `b`',
        file: 'axe/agents/bot.toml',
        line: 3,
      },
      {
        level: 'warning',
        title: 'Context cut to fit',
        message: '100% is, cut: here',
        file: 'src/a,b.ts',
        line: undefined,
      },
    ]);
  });

  it('are lines of log and summary, without an annotation, if they are about what the token cannot read', async () => {
    const warnings: readonly Warning[] = [
      { code: 'context-unread', message: 'the checks', remedy: 'Add `checks: read`.' },
    ];
    const quiet = await report(await reportOf('ran'), { warnings });
    expect(quiet.annotations).toEqual([]);
    expect(quiet.log).toContain('Not read: the checks. Add `checks: read`.');
    expect(quiet.summary).toContain('- the checks — add `checks: read`.');
  });

  it('about a log that was not loaded and therefore not saved are one annotation (D14)', async () => {
    const loading: Warning = { code: 'memory-load-failed', message: 'not loaded' };
    const saving: Warning = { code: 'memory-save-failed', message: 'not saved' };
    expect(await tell([loading, saving])).toMatchObject([{ message: 'not saved' }]);
    expect(await tell([loading])).toMatchObject([{ message: 'not loaded' }]);
  });

  it('are at most nine, a failed save first, and all of them are in the summary', async () => {
    const codes = [
      'agent-unknown-key',
      'tool-not-available',
      'context-file-skipped',
      'context-truncated',
      'memory-truncated',
      'memory-max-entries',
      'memory-store-notice',
      'model-warning',
      'answer-truncated',
      'publish-failed',
      'memory-save-failed',
    ] as const;
    const warnings = codes.map((code) => ({ code, message: `about ${code}` }));
    const { annotations, summary } = await report(await reportOf('ran'), { warnings });
    expect(annotations.map(({ message }) => message)).toEqual([
      'about memory-save-failed',
      ...codes.slice(0, 8).map((code) => `about ${code}`),
    ]);
    for (const code of codes) expect(summary).toContain(`\n- about ${code}\n`);
  });
});

describe('a run that ended before it began', () => {
  it('is one error at its place, with outputs and summary', async () => {
    const at = { file: 'axe/agents/bot.toml', line: 2, column: 9 };
    const thrown = new ConfigError('`model` must be a string', {
      at,
      remedy: 'Write `model = "provider/model"`.',
    });
    const warnings = [{ code: 'agent-unknown-key', message: 'unknown key' }] as const;
    const step = await fail(thrown, { warnings });
    const what = '`model` must be a string\n  at axe/agents/bot.toml:2:9';
    const message = `${what}\n  Write \`model = "provider/model"\`.`;
    expect(step.annotations).toEqual([
      expect.objectContaining({ level: 'warning', message: 'unknown key' }),
      { level: 'error', title: 'axe-action', message, file: 'axe/agents/bot.toml', line: 2 },
    ]);
    expect(step.stdout).toContain(',line=2,col=9::');
    expect(step.outputs).toEqual({
      conclusion: 'failure',
      reason: '`model` must be a string',
      'memory-saved': 'false',
    });
    expect(step.summary).toContain(
      `### axe-action: failure\n\n\`\`\`text\n${what}\n\`\`\`\n\nWrite \`model = "provider/model"\`.`,
    );
    expect(step.hasFailed).toBe(true);
  });

  it.each<[string, unknown, string, string, boolean]>([
    ['an error that is listed', new AxeError('no'), 'failure', 'failure', true],
    ['an error that is not listed', new AxeError('no'), 'timeout', 'failure', false],
    ['a deadline that has passed', new ProviderError('timeout', 'over'), 'timeout', 'timeout', true],
    [
      'a deadline that has passed, not listed',
      new ProviderError('timeout', 'over'),
      'failure',
      'timeout',
      false,
    ],
    ['another error of the provider', new ProviderError('auth', 'no'), 'timeout', 'failure', false],
    ['a bug', new TypeError('not possible'), '', 'failure', true],
    ['something that is not an error', 'oops', '', 'failure', true],
  ])('for %s fails the step if `fail-on` says so', async (_, thrown, failOn, conclusion, hasFailed) => {
    const step = await fail(thrown, { failOn });
    expect([step.outputs['conclusion'], step.hasFailed]).toEqual([conclusion, hasFailed]);
    expect(step.annotations).toHaveLength(1);
  });

  it('for a bug requests a report, with the stack', async () => {
    const step = await fail(new TypeError(`not possible with ${SECRET}`));
    expect(step.annotations[0]?.message).toMatch(
      /^This is a bug in axe-action; please report it with these lines:\nTypeError: not possible with \*\*\*\n {4}at /,
    );
    expect(step.summary).not.toContain(SECRET);
    expect((await fail('oops')).annotations[0]?.message).toMatch(/\noops$/);
  });
});
