import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { call, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { agrees, raises, runVerified, verdict } from './verify-scene.js';

const HOLDS = verdict({ verdict: 'holds' });
const GUARD = { path: 'src/guard.ts', line: 4, code: 'assertFilled(table);' };
const REFUTED = verdict({ verdict: 'refuted', evidence: [GUARD] });
const DOWN = new ProviderError('auth', 'no such key', { status: 401 });

function confidences({ findings }: Awaited<ReturnType<typeof runVerified>>['buffered']) {
  return findings.map(({ finding }) => finding.confidence);
}

describe('the second look at the findings of a review', () => {
  it('has a fresh context, tools that read, and ends with its verdict', async () => {
    const { buffered, verifier, deps, report } = await runVerified({ replies: [HOLDS] });
    expect(confidences(buffered)).toEqual(['confirmed']);
    expect(buffered).toMatchObject({ refuted: [], unverified: 0 });
    expect(deps.toolRequests.map(({ agent }) => [agent.name, agent.config.tools])).toEqual([
      ['bot', []],
      ['verifier', ['github_diff', 'github_file', 'github_history', 'github_search']],
    ]);
    const [asked] = verifier.asked;
    expect(asked?.tools?.map(({ name }) => name)).toEqual(['give_verdict']);
    expect(asked?.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(JSON.stringify(asked?.prompt)).not.toContain('You review.');
    expect(report.outcome).toMatchObject({
      kind: 'completed',
      answer: 'Found things.',
      stats: { turns: 2 },
    });
    const counts = { looks: 1, confirmed: 1, refuted: 0, unverified: 0 };
    expect(deps.events).toContainEqual({ kind: 'verified', ...counts });
  });

  it('can refute by a line that only its own tools have shown', async () => {
    const shown = [{ path: GUARD.path, side: 'RIGHT', firstLine: 4, lines: [GUARD.code] }] as const;
    const file = fakeTool('github_file', 'read', { shown });
    const { buffered, report } = await runVerified({
      replies: [reply([call('r', 'github_file', { path: GUARD.path })]), REFUTED],
      parts: { boxes: { verifier: { tools: [file] } } },
    });
    expect(buffered.refuted).toHaveLength(1);
    expect(report.outcome.kind).toBe('completed');
  });

  it('is unclear if it names evidence which was never shown, whatever it repeats', async () => {
    const minor = { effect: 'degraded' };
    const { buffered, deps } = await runVerified({
      raised: [[raises(10), raises(500, minor)]],
      replies: Array.from({ length: 12 }, () => REFUTED),
    });
    expect(confidences(buffered)).toEqual(['unsure']);
    expect(buffered.refuted).toMatchObject([{ why: 'unclear', finding: { line: 500 } }]);
    expect(deps.warnings.filter(({ code }) => code === 'not-verified')).toEqual([]);
  });

  it.each<[string, readonly FakeReply[], string]>([
    ['fails', [DOWN], 'no such key'],
    ['throws', [new TypeError('x is not a function')], 'x is not a function'],
    [
      'refuses',
      [says('No.', { finish: { unified: 'content-filter', raw: 'refusal' } })],
      'refused',
    ],
    ['answers in words', [says('It holds.'), says('I said that it holds.')], 'gave no verdict'],
    [
      'never comes to an end',
      Array.from({ length: 6 }, () => reply([call('x', 'github_file', {})])),
      'maximum conversation turns (6)',
    ],
  ])('that %s removes nothing, and is reported', async (_, replies, why) => {
    const { buffered, deps, report } = await runVerified({ replies });
    expect(confidences(buffered)).toEqual(['likely']);
    expect(buffered).toMatchObject({ refuted: [], unverified: 1 });
    expect(deps.warnings.filter(({ code }) => code === 'not-verified')).toMatchObject([
      { message: expect.stringContaining(why), remedy: expect.stringMatching(/^[A-Z].*\.$/) },
    ]);
    expect(report.outcome.kind).toBe('completed');
  });

  it('gets one more request for a verdict if it answers in words', async () => {
    const { buffered, verifier } = await runVerified({ replies: [says('It holds.'), HOLDS] });
    expect(confidences(buffered)).toEqual(['confirmed']);
    expect(JSON.stringify(verifier.asked[1]?.prompt.at(-1))).toContain(
      'You have not called `give_verdict`',
    );
  });

  it('ends with the budget in the middle, and the rest is posted as raised', async () => {
    const { buffered, report } = await runVerified({
      raised: [[raises(10), raises(200), raises(400), raises(600), raises(800)]],
      replies: Array.from({ length: 5 }, () => HOLDS),
      request: { tokenLimit: () => 115 },
    });
    expect(confidences(buffered).toSorted().join(' ')).toBe(
      'confirmed confirmed confirmed likely likely',
    );
    expect(buffered.unverified).toBe(2);
    expect(report.outcome).toMatchObject({ kind: 'completed', stats: { inputTokens: 112 } });
  });

  it('covers only the worst of 500 findings', async () => {
    const many = Array.from({ length: 500 }, (_, index) => raises(index + 1));
    const turns = Array.from({ length: 8 }, (_, index) => many.slice(index * 64, index * 64 + 64));
    const { buffered, verifier } = await runVerified({
      raised: turns,
      replies: Array.from({ length: 40 }, () => agrees),
    });
    expect(buffered.findings).toHaveLength(100);
    expect(buffered.unverified).toBe(60);
    expect(verifier.asked.length).toBeLessThanOrEqual(40);
  });

  it('costs and taints as the run itself does', async () => {
    const price = { input: 10, output: 10, cacheRead: 10, cacheWrite: 10 };
    const foreign = fakeTool('github_file', 'read', {
      text: 'secret-value',
      strangers: 'issue #12 by eve',
    });
    const { report, verifier } = await runVerified({
      replies: [reply([call('r', 'github_file', {})]), HOLDS],
      parts: {
        facts: { 'p/m': { price }, 'p/v': { price } },
        boxes: { verifier: { tools: [foreign] } },
        secrets: ['secret-value'],
      },
    });
    expect(report.plan.reading.strangers).toEqual(['it read issue #12 by eve']);
    expect(JSON.stringify(verifier.asked[1]?.prompt)).not.toContain('secret-value');
    expect(report.outcome.stats.costUsd).toBeCloseTo((100 + 2 + 3 + 2 + 2 * 5) * 1e-5, 8);
  });
});
