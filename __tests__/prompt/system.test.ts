import { describe, expect, it } from '@jest/globals';
import { appendMemory, buildSystemPrompt, withNotes } from '../../src/prompt/system.js';

const NOTHING = { systemPrompt: '', skill: '', files: [] };
const RULE = '\n\n---\n\n';

describe('the system prompt (axe-behaviour §5)', () => {
  it('has persona, skill, files and memory in that order, byte for byte', () => {
    const prompt = buildSystemPrompt({
      systemPrompt: '  You review.\n',
      skill: '# How\n',
      files: [
        { path: 'a.md', content: 'A' },
        { path: 'src/b.ts', content: 'let b;\n' },
      ],
    });
    expect(appendMemory(prompt, '## t\n**Task:** x\n**Result:** y\n\n')).toBe(
      `  You review.\n${RULE}## Skill\n\n# How\n` +
        `${RULE}## Context Files\n\n### a.md\n\`\`\`md\nA\n\`\`\`\n\n### src/b.ts\n\`\`\`ts\nlet b;\n\n\`\`\`` +
        `${RULE}## Memory\n\n## t\n**Task:** x\n**Result:** y\n\n`,
    );
  });

  it.each([
    ['nothing', NOTHING, ''],
    ['only a skill: it starts with two newlines', { ...NOTHING, skill: 's' }, `${RULE}## Skill\n\ns`],
    ['a persona of spaces, which is kept', { ...NOTHING, systemPrompt: ' ' }, ' '],
    ['a skill of one newline, which is kept', { ...NOTHING, skill: '\n' }, `${RULE}## Skill\n\n\n`],
  ])('consists of %s', (_, parts, prompt) => {
    expect(buildSystemPrompt(parts)).toBe(prompt);
  });

  it('ends with the requested language, before memory, and has no such line without one (D28)', () => {
    const prompt = buildSystemPrompt({ ...NOTHING, systemPrompt: 'You review.', language: 'pt-BR' });
    expect(prompt).toMatch(
      /^You review\.\n\n---\n\n## Language\n\nWrite .* in this language: pt-BR\. Leave code,/,
    );
    expect(buildSystemPrompt({ ...NOTHING, language: '' })).toBe('');
  });

  it.each([
    ['everything', 'E', '<memory>', '!', `persona${RULE}## Memory\n\nE${RULE}<memory>!`],
    ['no entry yet', '', '<memory>', '!', `persona${RULE}<memory>!`],
    ['no note yet', 'E', '', '!', `persona${RULE}## Memory\n\nE!`],
    ['no tool', 'E', '<memory>', '', `persona${RULE}## Memory\n\nE${RULE}<memory>`],
  ])(
    'has entries, notes and the text about tools in that order: %s',
    (_, runLog, block, toolsPrompt, prompt) => {
      expect(withNotes('persona', { runLog, block, toolsPrompt })).toBe(prompt);
    },
  );

  it.each([
    ['a `word`', 3],
    ['```js\nx\n```', 4],
    ['`````', 6],
  ])('cannot be ended by a file that holds %j', (content, ticks) => {
    const fence = '`'.repeat(ticks);
    expect(buildSystemPrompt({ ...NOTHING, files: [{ path: 'a.md', content }] })).toBe(
      `${RULE}## Context Files\n\n### a.md\n${fence}md\n${content}\n${fence}`,
    );
  });
});
