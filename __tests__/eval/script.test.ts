import { expect, it } from '@jest/globals';
import type { ScriptedVerdict } from '../../eval/case.js';
import { type Script, scriptedCalls } from '../../eval/script.js';
import type { RecordedRequest } from '../helpers/loopback.js';

const CALLS = [{ tool: 'submit_review', input: { summary: 'Fine.' } }];
const LOOK = { tool: 'github_file', input: { path: 'src/owner.ts' } };
const REFUTED: ScriptedVerdict = {
  title: 'A project without an owner',
  look: [LOOK],
  verdict: 'refuted',
  evidence: [{ path: 'src/owner.ts', line: 12, code: 'return projects.filter(' }],
  reason: 'Only projects with an owner get there.',
};
const SCRIPT: Script = { turns: [CALLS], verdicts: [REFUTED] };

function asked(tool: string, text: string, turns = 0): RecordedRequest {
  const answers = Array.from({ length: turns }, () => ({ role: 'assistant', content: 'So.' }));
  const body = { tools: [{ name: tool }], messages: [{ role: 'user', content: text }, ...answers] };
  const head = { method: 'POST', path: '/v1/messages', query: new URLSearchParams(), headers: {} };
  return { ...head, bytes: Buffer.alloc(0), body };
}

it('the script answers a reviewer turn by turn, and then ends', () => {
  expect(scriptedCalls(asked('add_review_comment', 'Review.'), SCRIPT)).toEqual(CALLS);
  expect(scriptedCalls(asked('add_review_comment', 'Review.', 1), SCRIPT)).toEqual([]);
});

it('the script answers nobody else', () => {
  expect(scriptedCalls(asked('memory_write', 'Sum up.'), SCRIPT)).toEqual([]);
});

const claims =
  'Two claims.\nClaim 1, on line 8\nA project without an owner\nClaim 2, on line 9\nAnother one\n';

it('a scripted second look reads what its verdict requires before it decides on each claim', () => {
  expect(scriptedCalls(asked('give_verdict', claims), SCRIPT)).toEqual([LOOK]);
  expect(scriptedCalls(asked('give_verdict', claims, 1), SCRIPT)).toMatchObject([
    { tool: 'give_verdict', input: { claim: 1, verdict: 'refuted', evidence: REFUTED.evidence } },
    { tool: 'give_verdict', input: { claim: 2, verdict: 'holds' } },
  ]);
  expect(scriptedCalls(asked('give_verdict', claims, 2), SCRIPT)).toEqual([]);
});

it('a scripted second look confirms claims that the case does not mention', () => {
  const one = 'Claim 1, on line 8\nAnother one\n';
  expect(scriptedCalls(asked('give_verdict', one), SCRIPT)).toMatchObject([
    { input: { verdict: 'holds' } },
  ]);
  expect(scriptedCalls(asked('give_verdict', one, 1), SCRIPT)).toEqual([]);
});
