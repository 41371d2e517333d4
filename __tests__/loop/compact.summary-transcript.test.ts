import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateText } from '../../src/lib/text/truncate.js';
import { formatTranscript } from '../../src/loop/compact.js';
import { conversations, turn, user } from '../helpers/conversations.js';

describe('a transcript', () => {
  it('contains what was said, called and answered, without reasoning and system prompt', () => {
    const messages: LanguageModelV4Message[] = [
      { role: 'system', content: 'secret persona' },
      user('Review it.'),
      ...turn('1', ['fine', 'no such file']),
      user('Once more.'),
    ];
    expect(formatTranscript(messages, 10_000)).toBe(
      [
        'Task: Review it.',
        'Agent: text 1',
        'Agent called read_file: {"path":"src/1-0.ts"}',
        'Agent called read_file: {"path":"src/1-1.ts"}',
        'read_file answered: fine',
        'read_file failed: no such file',
        'Task: Once more.',
      ].join('\n\n'),
    );
  });

  it('shortens long parts before it leaves any out', () => {
    const messages = [user('start'), ...turn('1', ['x'.repeat(50_000)]), ...turn('2', ['end'])];
    const text = formatTranscript(messages, 1000);
    expect(text).toContain('Task: start');
    expect(text).toContain('bytes left out');
    expect(text).toContain('read_file answered: end');
    expect(text.length).toBeGreaterThan(1000);
  });

  it('fits into the given number of tokens', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 200, max: 20_000 }), (messages, maxTokens) => {
        expect(estimateText(formatTranscript(messages, maxTokens))).toBeLessThanOrEqual(maxTokens);
      }),
      { numRuns: 60 },
    );
  });
});
