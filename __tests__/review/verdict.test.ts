import { describe, expect, it } from '@jest/globals';
import { type FindingVerdict, type VerdictRequest, Verdicts } from '../../src/review/verdict.js';
import { createGiveVerdict } from '../../src/tools/review/give-verdict.js';
import { FORGED, request, shownFiles } from './verdict-scene.js';

describe('the verdicts of a verifier', () => {
  it.each<[string, VerdictRequest, 'taken' | 'refused', FindingVerdict['kind'] | undefined]>([
    ['holds', request({ verdict: 'holds', evidence: [] }), 'taken', 'holds'],
    ['is unclear', request({ verdict: 'unclear', evidence: [] }), 'taken', 'unclear'],
    ['is refuted by a line that was shown', request(), 'taken', 'refuted'],
    ['is refuted by a line that was never shown', request({ evidence: [FORGED] }), 'refused', 'unclear'],
    ['is refuted without a line', request({ evidence: [] }), 'refused', 'unclear'],
    ['names a claim that is not there', request({ claim: 2 }), 'refused', undefined],
  ])('report that a claim %s', (_, wanted, answer, kind) => {
    const verdicts = new Verdicts(['a'], shownFiles());
    expect(verdicts.give(wanted).kind).toBe(answer);
    expect(verdicts.all.get('a')?.kind).toBe(kind);
    expect(verdicts.isComplete).toBe(answer === 'taken');
  });

  it('can be proven after all, and are given once', () => {
    const verdicts = new Verdicts(['a'], shownFiles());
    verdicts.give(request({ evidence: [FORGED] }));
    expect(verdicts.give(request())).toMatchObject({ kind: 'taken', text: 'Taken: claim 1 is refuted.' });
    expect(verdicts.give(request({ verdict: 'holds' })).kind).toBe('refused');
    expect(verdicts.all.get('a')?.kind).toBe('refuted');
  });

  it('name their claim if there are several', () => {
    const verdicts = new Verdicts(['a', 'b'], shownFiles());
    expect(verdicts.give(request())).toMatchObject({ text: expect.stringContaining('claims 1 to 2') });
    expect(verdicts.give(request({ claim: 2 }))).toMatchObject({
      text: expect.stringContaining('1 claim left'),
    });
    expect(verdicts.isComplete).toBe(false);
    verdicts.give(request({ claim: 1 }));
    expect(verdicts.isComplete).toBe(true);
  });

  it('arrive through the tool, and an empty string means none', async () => {
    const verdicts = new Verdicts(['a'], shownFiles());
    const tool = createGiveVerdict(verdicts);
    const give = (input: unknown) => tool.execute(input, new AbortController().signal);
    expect(await give({ verdict: ' ', reason: 'x' })).toMatchObject({ isError: true });
    expect(await give({ verdict: 'maybe', reason: 'x' })).toMatchObject({ isError: true });
    expect(verdicts.all.size).toBe(0);
    const whole = {
      verdict: 'HOLDS',
      reason: 'So.',
      line: 23,
      reach: 'Rare',
      effect: 'boom',
      suggestion_fixes: false,
    };
    expect(await give(whole)).toMatchObject({ isError: false });
    expect(verdicts.all.get('a')).toEqual({
      kind: 'holds',
      reason: 'So.',
      line: 23,
      effect: undefined,
      reach: 'rare',
      suggestionFixes: false,
    });
    expect(Object.keys(tool.inputSchema.properties ?? {})[0]).toBe('verdict');
  });
});
