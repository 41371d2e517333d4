import { expect, it } from '@jest/globals';
import { estimateText } from '../../src/lib/text/bytes.js';
import { fitPrompt, type PromptParts } from '../../src/prompt/prompt.js';
import { fence } from '../../src/safety/fence.js';

const DIFF = ['a.ts', 'b.ts', 'c.ts']
  .map((path) => {
    const lines = Array.from({ length: 40 }, (_, line) => `+const row${line} = lookUp(${line});`);
    return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,40 @@\n${lines.join('\n')}`;
  })
  .join('\n');
const LOG = Array.from(
  { length: 50 },
  (_, day) =>
    `## 2026-01-01T00:00:${10 + day}Z\n**Task:** Day ${day}\n**Result:** ${'done '.repeat(40)}\n\n`,
).join('');

const WHOLE: PromptParts = {
  system: {
    systemPrompt: 'You review.',
    skill: '',
    files: [{ path: 'GUIDE.md', content: `begin ${'guide '.repeat(2000)}end` }],
    instructions: [{ path: 'REVIEW.md', content: 'Mind the tests.' }],
  },
  runLog: LOG,
  message: [
    'Review it.',
    fence('words '.repeat(2000), { source: 'comment by hubot' }),
    fence(DIFF, { source: 'diff of pull request #2' }),
  ].join('\n\n'),
};

it('a prompt that fits stays as it is', () => {
  const { message, isShortened, unseen } = fitPrompt(WHOLE);
  const whole = { message: WHOLE.message, isShortened: false, unseen: [] };
  expect({ message, isShortened, unseen }).toEqual(whole);
});

it.each([800, 1500, 3000, 4500])(
  'a prompt that does not fit in %i tokens is made to',
  (maxTokens) => {
    const { system, memory = '', message, isShortened, unseen } = fitPrompt(WHOLE, maxTokens);
    expect(estimateText(system) + estimateText(message)).toBeLessThanOrEqual(maxTokens);
    expect(system).toContain('You review.');
    expect(system).toContain('Mind the tests.');
    expect(system).toMatch(/begin guide .*bytes left out.*guide end/s);
    expect(message).toMatch(/^Review it\.\n\n<third-party-text source="comment by hubot">/);
    expect(memory).toContain('Day 49');
    expect(isShortened).toBe(true);
    for (const path of ['a.ts', 'b.ts', 'c.ts'])
      if (!unseen.includes(path))
        expect(message).toContain(DIFF.slice(DIFF.indexOf(`+++ b/${path}`)).slice(0, 900));
    if (unseen.length > 0) expect(message).toContain('Say in your answer what you have not seen');
  },
);

it('a prompt begins its run log with a whole entry, whatever headings that holds', () => {
  const odd = LOG.replaceAll('**Result:** ', '**Result:**\n## A heading\n');
  const { memory = '' } = fitPrompt({ ...WHOLE, runLog: odd }, 1500);
  expect(memory).toMatch(/^\n\n---\n\n## Memory\n\n## 2026-01-01T00:00:/);
  expect(memory).toContain('## A heading');
  const huge = fitPrompt(
    { ...WHOLE, runLog: `## 2026-01-01T00:00:10Z\n${'word '.repeat(9000)}` },
    1500,
  );
  // Half of what the message leaves: the context file takes the other half.
  expect(estimateText(huge.memory ?? '')).toBeLessThan(300);
});

it('a prompt loses its notes before they fill the window, since a tool reads them', () => {
  const block = `<memory>\n${'note '.repeat(3000)}\n</memory>`;
  const notes = { block, toolsPrompt: ' Use `memory_read`.' };
  const fitted = fitPrompt({ ...WHOLE, runLog: '', notes }, 2000);
  expect(fitted.system).not.toContain('<memory>');
  expect(fitted.system).toContain('Use `memory_read`.');
});

it('a part of a prompt gets what the others do not need', () => {
  const entry = (index: number) =>
    `## 2026-01-01T00:00:1${index}Z\n**Task:** Day ${index}\n**Result:** ${'done '.repeat(20_000)}\n\n`;
  const runLog = Array.from({ length: 10 }, (_, index) => entry(index)).join('');
  const system = { systemPrompt: 'You help.', skill: '', files: [] };
  const fitted = fitPrompt({ system, runLog, message: 'hi' }, 170_000);
  expect(fitted.runLog).toBe([4, 5, 6, 7, 8, 9].map(entry).join(''));
  expect(fitPrompt({ system, runLog: entry(0), message: 'hi' }, 170_000).runLog).toBe(entry(0));
});
