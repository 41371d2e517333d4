import { describe, expect, it } from '@jest/globals';
import { CONTEXT_INPUT_DEFAULTS, readContextInputs } from '../../../src/actions/inputs/context-inputs.js';
import { DEFAULT_CONTEXT_POLICY } from '../../../src/core/prompt/context-policy.js';

type Given = Partial<Record<keyof typeof CONTEXT_INPUT_DEFAULTS, string>>;

function read(given: Given) {
  return readContextInputs((name) => given[name] ?? CONTEXT_INPUT_DEFAULTS[name]);
}

describe('the inputs about what the model is given', () => {
  it('have the same defaults as the command line', () => {
    expect(read({})).toEqual(DEFAULT_CONTEXT_POLICY);
  });

  it('choose the parts, the paths and the size of the diff', () => {
    const given = {
      context: 'checks, commits',
      'max-diff-tokens': '0',
      paths: 'src/**\nlib/**',
      'paths-ignore': '*.md',
    };
    expect(read(given)).toEqual({
      parts: ['commits', 'checks'],
      isNamed: true,
      diff: { maxTokens: 0, paths: ['src/**', 'lib/**'], pathsIgnore: ['*.md'] },
    });
    expect(read({ context: 'none' }).parts).toEqual([]);
  });

  it('distinguish the default from the same parts listed by name', () => {
    expect(read({ context: 'auto' })).toEqual(DEFAULT_CONTEXT_POLICY);
    const named = read({ context: 'commits, comments, issues, checks' });
    expect(named).toEqual({ ...DEFAULT_CONTEXT_POLICY, isNamed: true });
  });

  it.each<[Given, string]>([
    [{ context: 'everything' }, 'context'],
    [{ context: 'auto, checks' }, '`auto`'],
    [{ context: 'checks\nnone' }, '`none`'],
    [{ 'max-diff-tokens': 'many' }, 'max-diff-tokens'],
    [{ 'max-diff-tokens': '-1' }, 'max-diff-tokens'],
    [{ paths: 'src/[' }, 'src/['],
    [{ 'paths-ignore': 'a/[b' }, 'a/[b'],
  ])('are refused: %j', (given, named) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(named) }),
    );
  });

  it.each<[Given, string]>([
    [{ paths: 'src/**, !docs/**' }, 'No pattern excludes here: write `paths-ignore: docs/**`.'],
    [
      { 'paths-ignore': '!docs/**' },
      'A pattern cannot exclude: leave it out, and name in `paths` what to send.',
    ],
    [{ paths: 'docs/' }, 'Write `docs/**` for all that is in the folder.'],
    [{ paths: './**/*.ts' }, 'Write `**/*.ts`.'],
    [{ 'paths-ignore': '/docs/**' }, 'Write `docs/**`.'],
  ])('refuse a pattern that can match no file: %j', (given, remedy) => {
    const [name = ''] = Object.keys(given);
    expect(() => read(given)).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining(`the input \`${name}\` has a pattern that matches no file: `),
        remedy,
      }),
    );
  });

  it('accept plain patterns unchanged', () => {
    const { diff } = read({ paths: './src/*.ts, \\!odd.md, **' });
    expect(diff.paths).toEqual(['./src/*.ts', '\\!odd.md', '**']);
  });
});
