import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { main } from '../../eval/main.js';
import type { SettingResult } from '../../eval/report.js';
import { type ChildResult, startChild } from '../helpers/child.js';
import { COMPILED_CODE } from '../helpers/compiled-code.js';
import { type ModelServer, promptOf, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODEL = 'anthropic/claude-sonnet-5-5';
const KEY = ['sk', 'ant', 'api03', 'test', '0123456789abcdef'].join('-');
const SUBMIT = toolCall('submit_review', { summary: 'Nothing to say.' });

/** Runs the evaluation as `npm run eval` does. */
function evaluate(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ChildResult> {
  return startChild({
    command: process.execPath,
    args: [join(ROOT, 'eval/run.js'), ...args],
    env: { ...COMPILED_CODE, PATH: process.env['PATH'] ?? '', HOME: tempDir('home'), ...env },
    cwd: ROOT,
  }).finished;
}

/** The same in this process, for what ends before anything is run. */
async function refuse(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  const printed: string[] = [];
  const status = await main({
    args,
    env,
    print: (line) => printed.push(line),
    say: (line) => said.push(line),
  });
  return { status, said: said.join('\n'), printed: printed.join('\n') };
}

/** A model that looks at nothing and finds nothing; `inputTokens` for each reply. */
function startReviewer(inputTokens = 1000): Promise<ModelServer> {
  return startModelServer((request) => {
    const { messages } = request.body as { readonly messages: readonly unknown[] };
    return messages.length === 1
      ? { ...SUBMIT, usage: { inputTokens, outputTokens: 100 } }
      : text('Nothing.', { inputTokens, outputTokens: 100 });
  });
}

/** A folder with these cases alone. */
function folderWith(...names: readonly string[]): string {
  const folder = tempDir('cases');
  for (const name of names) cpSync(join(ROOT, 'eval/cases', name), join(folder, name), { recursive: true });
  return folder;
}

function changeTitle(folder: string, name: string): void {
  const file = join(folder, name, 'case.json');
  const about = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...about, title: 'Another title' }));
}

describe('an evaluation without a model', () => {
  it('runs the scripts and the rules, and states what the result means', async () => {
    const run = await evaluate(['--cases', 'life-fix-on-line,clean-docs']);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('## scripted answers\n\n2 cases, 4 reviews.');
    expect(run.stdout).toContain('| fixed and settled | 100 % (3 of 3) |');
    expect(run.stdout).toContain('## offline/rules');
    expect(run.stdout).toContain('This says nothing about a model.');
  });

  it.each([
    ['an invalid option', ['--modle', 'x'], "Unknown option '--modle'"],
    ['an invalid case', ['--cases', 'x'], 'there is no case and no kind of cases named x'],
    ['recording', ['--record'], '--record needs --model'],
    ['a judge', ['--judge', MODEL], '--judge needs --model'],
  ])('refuses %s with status 2', async (_, args, words) => {
    const run = await refuse(args);
    expect(run.status).toBe(2);
    expect(run.said).toContain(words);
  });
});

describe('an evaluation with a model', () => {
  const given = ['--model', MODEL, '--max-cost', '5', '--rounds', '1'];

  it('prints the price before the first request, and the model’s results', async () => {
    const model = await startReviewer();
    const out = join(tempDir('out'), 'result.json');
    const run = await evaluate([...given, '--cases', 'refund-retry', '--out', out], model.env);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(
      /^anthropic\/claude-sonnet-5-5: 1 cases \(1 seeded\), 1 rounds: about \$0\.\d\d by list prices\.\nIt stops at \$5\.00\.\n/,
    );
    expect(run.stdout).toContain('| recall | 0 % (0 of 3) |');
    expect(run.stdout).toMatch(/^Spent: \$0\.00\d+\.$/m);
    const [result] = JSON.parse(readFileSync(out, 'utf8')) as readonly SettingResult[];
    expect(result).toMatchObject({ setting: MODEL, isOfModel: true });
    const [request] = model.requests();
    expect(request?.headers['x-api-key']).toBe(KEY);
    expect(run.stdout + run.stderr).not.toContain(KEY);
  });

  it.each([
    ['same', '| recall | 33 % (1 of 3) |', '0 different, as they are counted without a judge, 2 the same'],
    [
      'different',
      '| recall | 0 % (0 of 3) |',
      '2 different, as they are counted without a judge, 0 the same',
    ],
  ])('lets a judge decide where place and words do not agree: %s', async (word, recall, told) => {
    // It is on the line of the fault, and says nothing of what the words of the case are about.
    const finding = toolCall('add_review_comment', {
      path: 'src/refund.ts',
      line: 30,
      code: "  await ledger.append({ order, cents: -cents, reason: 'refund' });",
      title: 'The bookkeeping is wrong after a slow answer of the provider',
      body: 'Each time that the provider is slow, more is written off than was paid back.',
      category: 'data',
      effect: 'data-loss',
      reach: 'common',
    });
    const model = await startModelServer((request) => {
      const { messages, tools } = promptOf(request);
      if (tools.length === 0) return text(`${word}: as they read.`);
      if (tools.includes('give_verdict'))
        return toolCall('give_verdict', { verdict: 'holds', reason: 'So.' });
      return messages.length === 1 ? finding : text('Done.');
    });
    const args = [...given, '--judge', MODEL, '--cases', 'refund-retry'];
    const run = await evaluate(args, model.env);
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining(recall)]);
    expect(run.stdout).toContain(`${MODEL} judged 2 pairs of which place and words did not agree: ${told}`);
  });

  it('stops at the cost limit, and lists the cases without a result', async () => {
    const model = await startReviewer(400_000);
    const args = [
      '--model',
      MODEL,
      '--max-cost',
      '1',
      '--rounds',
      '1',
      '--cases',
      'clean-docs,clean-record,clean-tests',
    ];
    const run = await evaluate(args, model.env);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('It stopped at the cap');
    expect(run.stdout).toContain('clean-tests');
    expect(model.requests().length).toBeLessThan(4);
  });

  it.each([
    ['no cap', ['--model', MODEL], {}, '--model needs --max-cost'],
    ['no key', given, {}, 'ANTHROPIC_API_KEY'],
    ['a model of unknown price', ['--model', 'anthropic/claude-unheard', '--max-cost', '1'], {}, 'price'],
    [
      'a provider without an address and a key',
      ['--model', 'bedrock/x', '--max-cost', '1'],
      {},
      'reached directly',
    ],
  ])('refuses %s before the first request', async (_, args, env, words) => {
    const run = await refuse([...args, '--cases', 'clean-docs'], env);
    expect(run.status).toBe(2);
    expect(run.said).toContain(words);
  });

  it('records answers, replays them without the model, and lists which must be recorded again', async () => {
    const model = await startReviewer();
    const [cases, recorded] = [folderWith('clean-docs', 'clean-tests'), tempDir('recorded')];
    const folders = ['--case-folder', cases, '--recorded-folder', recorded];
    const live = await evaluate([...given, '--record', ...folders], model.env);
    expect(live.exitCode).toBe(0);
    const files = readdirSync(join(recorded, 'anthropic--claude-sonnet-5-5'));
    expect(files).toHaveLength(4);
    const asked = model.requests().length;

    const replayed = await evaluate(folders);
    expect([replayed.exitCode, model.requests().length]).toEqual([0, asked]);
    expect(replayed.stdout).toContain(`## ${MODEL}, recorded\n\n2 cases, 2 reviews.`);
    expect(replayed.stdout).not.toContain('recorded anew');

    changeTitle(cases, 'clean-docs');
    const changed = await evaluate(folders);
    expect(changed.exitCode).toBe(0);
    expect(changed.stdout).toContain(`${MODEL}, recorded: must be recorded anew: clean-docs`);
  });
});

it('compares two results', async () => {
  const [a, b] = [join(tempDir('out'), 'a.json'), join(tempDir('out'), 'b.json')];
  const result = { setting: 'a', scores: [], incomplete: [], isOfModel: true };
  writeFileSync(a, JSON.stringify([result]));
  writeFileSync(b, JSON.stringify([{ ...result, setting: 'b' }]));
  const { status, printed } = await refuse(['--compare', a, b]);
  expect(status).toBe(0);
  expect(printed).toContain('## a against b');
  expect(printed).toContain('no difference shown');
  expect(await refuse(['--compare', a])).toMatchObject({
    status: 2,
    said: expect.stringContaining('two files'),
  });
});
