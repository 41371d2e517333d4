import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { main } from '../../eval/main.js';
import type { SettingResult } from '../../eval/report.js';
import { type ModelServer, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { tempDir } from '../helpers/temp.js';
import { evaluate } from './samples.js';

const MODEL = 'anthropic/claude-sonnet-5-5';
const KEY = ['sk', 'ant', 'api03', 'test', '0123456789abcdef'].join('-');
const SUBMIT = toolCall('submit_review', { summary: 'Nothing to say.' });

/** Runs the evaluation in this process, for what ends before anything is run. */
async function refuse(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  const printed: string[] = [];
  const print = (line: string) => printed.push(line);
  const status = await main({ args, env, print, say: (line) => said.push(line) });
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

it('an evaluation without a model runs the scripts and the rules, and states what the result means', async () => {
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
])('an evaluation without a model refuses %s with status 2', async (_, args, words) => {
  const run = await refuse(args);
  expect(run.status).toBe(2);
  expect(run.said).toContain(words);
});

const given = ['--model', MODEL, '--max-cost', '5', '--rounds', '1'];

it('an evaluation with a model prints the cap before the first request, and the model’s results', async () => {
  const model = await startReviewer();
  const out = join(tempDir('out'), 'result.json');
  const run = await evaluate([...given, '--cases', 'refund-retry', '--out', out], model.env);
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toMatch(
    /^anthropic\/claude-sonnet-5-5: 1 cases \(1 seeded\), 1 rounds\. It stops at \$5\.00\.\n/,
  );
  expect(run.stdout).toContain('| recall | 0 % (0 of 3) |');
  expect(run.stdout).toMatch(/^Spent: \$0\.00\d+\.$/m);
  const [result] = JSON.parse(readFileSync(out, 'utf8')) as readonly SettingResult[];
  expect(result).toMatchObject({ setting: MODEL, isOfModel: true });
  const [request] = model.requests();
  expect(request?.headers['x-api-key']).toBe(KEY);
  expect(run.stdout + run.stderr).not.toContain(KEY);
});

it('an evaluation with a model stops at the cost limit, and lists the cases without a result', async () => {
  const model = await startReviewer(400_000);
  const args = ['--model', MODEL, '--max-cost', '1', '--rounds', '1'];
  const run = await evaluate(
    [...args, '--cases', 'clean-docs,clean-record,clean-tests'],
    model.env,
  );
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain('It stopped at the cap');
  expect(run.stdout).toContain('clean-tests');
  expect(model.requests().length).toBeLessThan(4);
});

it.each([
  ['no cap', ['--model', MODEL], {}, '--model needs --max-cost'],
  ['no key', given, {}, 'ANTHROPIC_API_KEY'],
  [
    'a model of unknown price',
    ['--model', 'anthropic/claude-unheard', '--max-cost', '1'],
    {},
    'price',
  ],
  [
    'a provider without an address',
    ['--model', 'bedrock/x', '--max-cost', '1'],
    {},
    'reached directly',
  ],
])(
  'an evaluation with a model refuses %s before the first request',
  async (_, args, env, words) => {
    const run = await refuse([...args, '--cases', 'clean-docs'], env);
    expect(run.status).toBe(2);
    expect(run.said).toContain(words);
  },
);

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
