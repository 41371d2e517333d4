import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import { createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';
import { askedText } from './verify-scene.js';

const NAMES = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/login.ts'];
const DIFF = `${NAMES.map(newFile).join('\n')}\n`;

function newFile(path: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, index) => `+export const value${index} = read('${path}', ${index});`,
  );
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,60 @@\n${lines.join('\n')}`;
}

const DOWN = new ProviderError('auth', 'no such key', { status: 401 });

/** What the model says, by what it is asked. */
type Answer = (
  text: string,
  asked: LanguageModelV4CallOptions,
) => LanguageModelV4GenerateResult | Error;

/** The files whose diff a request shows. */
function shownIn(text: string): readonly string[] {
  return NAMES.filter((path) => text.includes(`diff --git a/${path} `));
}

/** A reviewer that raises one fault in each file it is shown and then submits. */
function answerAll(text: string, { prompt }: LanguageModelV4CallOptions) {
  if (prompt.at(-1)?.role === 'tool') return says('I have read my part.');
  const found = shownIn(text).map((path, index) =>
    call(`c${index}`, 'add_review_comment', {
      path,
      line: 7,
      code: `export const value6 = read('${path}', 6);`,
      title: `\`read\` of ${path} can fail`,
      body: `Nobody catches what \`read\` throws for \`${path}\` here.`,
      category: 'error-handling',
      effect: 'failure',
      reach: 'common',
      evidence: [{ path, line: 8, code: `export const value7 = read('${path}', 7);` }],
    }),
  );
  return reply([
    ...found,
    call('r', 'submit_review', { summary: `Read ${shownIn(text).join(' ')}.` }),
  ]);
}

interface PassScene {
  readonly answer?: Answer;
  readonly toml?: string;
  readonly depth?: 'quick' | 'standard';
  readonly maxDiffTokens?: number;
  readonly request?: Partial<RunRequest>;
}

async function review({
  answer = answerAll,
  toml = '',
  maxDiffTokens = 1500,
  ...scene
}: PassScene = {}) {
  const { depth = 'standard', request } = scene;
  const asked: LanguageModelV4CallOptions[] = [];
  const model = {
    ...createFakeModel([], 'm'),
    async doGenerate(options: LanguageModelV4CallOptions) {
      asked.push({ ...options, prompt: structuredClone(options.prompt) });
      const said = answer(askedText(options), options);
      if (said instanceof Error) throw said;
      return said;
    },
  };
  const verified = {
    ...createFakeModel([], 'v'),
    doGenerate: async () => says('I have nothing to say.'),
  };
  const deps = createFakeDependencies({
    agents: {
      bot: `name = "bot"\nmodel = "p/m"\nsystem_prompt = "You review."\ntools = ["add_review_comment", "submit_review"]\n[memory]\nenabled = true\n[review]\nverify_model = "p/v"\npart_tokens = 1000\n${toml}`,
    },
    models: { 'p/m': model, 'p/v': verified },
    permissions: WRITER,
    context: {
      kind: 'pull_request',
      diff: DIFF,
      files: NAMES.map((path) => ({ path, status: 'added', additions: 60, deletions: 0 })),
      filesTotal: NAMES.length,
      warnings: [],
    },
  });
  const report = await runPipeline(
    makeRequest({
      trigger: pullRequest(),
      inWorkflow: true,
      review: { depth },
      diffPolicy: { maxTokens: maxDiffTokens, paths: [], pathsIgnore: [] },
      ...request,
    }),
    deps,
  );
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  const { buffered } = report;
  const incomplete = deps.warnings.filter(({ code }) => code === 'context-incomplete');
  const reviews = asked.filter(({ prompt, tools = [] }) => prompt.length === 2 && tools.length > 1);
  return {
    report,
    buffered,
    incomplete,
    asked,
    read: reviews.map((one) => shownIn(askedText(one))),
  };
}

describe('the review of a change that does not fit', () => {
  it('is done in parts that know of each other, and becomes one review', async () => {
    const { report, buffered, read, asked, incomplete } = await review();
    expect(read.toSorted()).toEqual([['src/a.ts'], ['src/b.ts'], ['src/c.ts'], ['src/login.ts']]);
    const text = asked.map(askedText).find((one) => one.includes('diff --git a/src/login.ts'));
    expect(text).toContain('You are shown part 1 of 4');
    expect(text).toContain('Title: Fix auth');
    expect(text).toContain('added src/a.ts +60 -0');
    expect(text).toContain('added src/b.ts +60 -0');
    expect(buffered.findings.map(({ finding }) => finding.path).toSorted()).toEqual(NAMES);
    expect(new Set(buffered.findings.map(({ finding }) => finding.id)).size).toBe(4);
    for (const text of ['Read src/a.ts.', 'Read src/login.ts.']) {
      expect(buffered.review?.summary).toContain(text);
      expect(report.outcome).toMatchObject({
        kind: 'completed',
        answer: expect.stringContaining(text),
      });
    }
    expect(report.read.unseen).toEqual([]);
    expect(incomplete).toEqual([]);
  });

  it('is done in one window at the depth quick, and if no review is requested', async () => {
    expect((await review({ depth: 'quick' })).read).toHaveLength(1);
    expect((await review({ maxDiffTokens: 100_000 })).read).toEqual([NAMES]);
  });

  it('leaves out files without a part, and names them', async () => {
    const { report, read } = await review({ toml: 'parts = 2\n' });
    expect(read).toHaveLength(2);
    expect(read.flat()).toContain('src/login.ts');
    expect(report.read.unseen).toHaveLength(2);
  });

  it.each<[string, LanguageModelV4GenerateResult | Error]>([
    ['fails', DOWN],
    ['throws', new TypeError('x is not a function')],
    ['is refused', says('No.', { finish: { unified: 'content-filter', raw: 'refusal' } })],
  ])('continues if a part %s: its files count as not read', async (_, end) => {
    const { report, buffered, incomplete } = await review({
      answer: (text, asked) => (shownIn(text).includes('src/b.ts') ? end : answerAll(text, asked)),
    });
    const paths = buffered.findings.map(({ finding }) => finding.path).toSorted();
    expect(paths).toEqual(['src/a.ts', 'src/c.ts', 'src/login.ts']);
    expect(report.read.unseen).toEqual(['src/b.ts']);
    expect(report.outcome.kind).toBe('completed');
    expect(incomplete).toHaveLength(1);
    const why = /^1 part of the review did not finish: .*\. Their files count as not read\.$/;
    expect(incomplete[0]?.message).toMatch(why);
    expect(incomplete[0]?.remedy).toMatch(/^(?:Choose another model|Report it|Reword the task)/);
  });

  it('tells the reason that several parts share once', async () => {
    const { incomplete } = await review({
      answer: (text, asked) =>
        shownIn(text).includes('src/login.ts') ? answerAll(text, asked) : DOWN,
    });
    expect(incomplete[0]?.message).toMatch(
      /^3 parts of the review did not finish: auth: no such key\. /,
    );
  });

  it('fails if every part fails, and says it once', async () => {
    const { report, buffered, incomplete } = await review({ answer: () => DOWN });
    expect(report.outcome).toMatchObject({
      kind: 'failed',
      error: { message: 'auth: no such key' },
    });
    expect(buffered.findings).toEqual([]);
    expect(incomplete).toEqual([]);
  });

  it('covers what the budget allows, the dangerous part first', async () => {
    const { report, read, incomplete } = await review({ request: { tokenLimit: () => 80_000 } });
    expect(read).toEqual([['src/login.ts']]);
    expect(report.read.unseen.toSorted()).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts']);
    const told = "3 parts of the change did not fit in the run's remaining budget";
    expect(incomplete.map(({ message }) => message)).toContainEqual(expect.stringContaining(told));
    expect(report.outcome.kind).toBe('completed');
  });
});
