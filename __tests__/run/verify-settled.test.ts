import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import { withFacts } from '../../src/memory/state.js';
import { codeKey } from '../../src/review/diff-lines.js';
import { findingLine } from '../helpers/marks.js';
import { call, type FakeReply } from '../helpers/model-fake.js';
import { ours, said, seen, thread } from '../helpers/seen.js';
import { askedText, codeAt, runVerified, seenLine, type VerifyScene, verdict } from './verify-scene.js';

const PULL = 42;

/** A run in which the model ends an earlier finding on line 5 of the change. */
async function settling(
  replies: readonly FakeReply[],
  {
    severity = 'major',
    how = 'fixed',
    posted = 1,
    ...scene
  }: Partial<VerifyScene> & { severity?: 'major' | 'minor'; how?: string; posted?: number } = {},
) {
  const title = 'source5 can be empty';
  const body = `${findingLine({ path: 'src/big.ts', line: 5, code: codeKey(codeAt(5)), severity, title })}\nIt is used all the same.`;
  const earlier = thread({
    path: 'src/big.ts',
    line: 5,
    hunk: `@@ -0,0 +1,5 @@\n+${codeAt(5)}`,
    first: ours({ body }),
    replies: [said('octocat', 'We want it so.', { authorAssociation: 'MEMBER' })],
  });
  const settle = call('s', 'settle_finding', {
    finding: 'FQ7K2',
    how,
    reason: 'It is filled before.',
    ...(how === 'fixed' ? { evidence: [{ path: 'src/big.ts', line: 7, code: codeAt(7) }] } : {}),
    ...(how === 'dismissed' ? { by: 'octocat' } : {}),
  });
  const fact = { kind: 'posted', id: 'r', pull: PULL, ids: [posted], at: Date.parse('2026-11-20') } as const;
  return await runVerified({
    raised: [[settle]],
    replies,
    toml: '[memory]\nenabled = true\n',
    rules: { blockOn: 'major' },
    ...scene,
    parts: {
      memory: { 'bot.state.md': withFacts('', [fact]) },
      said: { [PULL]: { kind: 'read', seen: seen({ threads: [earlier] }) } },
      ...scene.parts,
    },
  });
}

const SAYS_OVER = verdict({ verdict: 'refuted', evidence: seenLine(7) });

describe('the end of a finding that causes a request for changes', () => {
  it('counts once another model has confirmed that it is fixed', async () => {
    const { buffered, verifier } = await settling([SAYS_OVER]);
    expect(buffered.settlements).toMatchObject([{ finding: { handle: 'FQ7K2' }, how: 'fixed' }]);
    const [asked] = verifier.asked;
    if (asked === undefined) throw new Error('nobody was asked');
    const message = askedText(asked);
    expect(message).toContain('still true of the code as it is now');
    expect(message).toContain('It is used all the same.');
    expect(message).toContain(`src/big.ts:7: ${codeAt(7)}`);
    expect(message).not.toContain('major');
  });

  it('does not count if strangers may have worded it, and shows the verifier nothing of it', async () => {
    const { buffered, verifier } = await settling([SAYS_OVER], { posted: 7 });
    expect([buffered.settlements, verifier.asked]).toEqual([[], []]);
    expect(buffered.refusals[0]?.why).toContain('strangers may have had a part in what it says');
  });

  it('counts for `how: wrong` only then as well', async () => {
    expect((await settling([SAYS_OVER], { how: 'wrong' })).buffered.settlements).toHaveLength(1);
    const holds = verdict({ verdict: 'holds' });
    expect((await settling([holds], { how: 'wrong' })).buffered.settlements).toEqual([]);
  });

  it.each<[string, FakeReply, string]>([
    ['it is still there', verdict({ verdict: 'holds' }), 'still there: Because.'],
    ['nobody can tell', verdict({ verdict: 'unclear' }), 'unclear: Because.'],
    ['the verifier fails', new ProviderError('auth', 'no'), 'nobody could look'],
  ])('does not count if %s', async (_, reply, why) => {
    const { buffered } = await settling([reply]);
    expect(buffered.settlements).toEqual([]);
    expect(buffered.refusals).toEqual([
      {
        tool: 'settle_finding',
        why: `FQ7K2 stays open, because a second look did not confirm its end (${why}).`,
      },
    ]);
  });

  it('does not count if no model can be opened, which is a warning', async () => {
    const { buffered, deps } = await settling([], { closed: new ProviderError('auth', 'no key') });
    expect(buffered.settlements).toEqual([]);
    expect(deps.warnings).toMatchObject([
      { code: 'not-verified', message: expect.stringContaining('1 earlier finding stayed open') },
    ]);
  });

  it.each<[string, Parameters<typeof settling>[1]]>([
    ['is a person’s to decide', { how: 'dismissed' }],
    ['is too small for it', { severity: 'minor' }],
    ['is milder than what blocks', { rules: { blockOn: 'critical' } }],
  ])('needs no second look if it %s', async (_, scene) => {
    const { buffered, verifier } = await settling([], scene);
    expect(buffered.settlements).toHaveLength(1);
    expect(verifier.asked).toEqual([]);
  });
});
