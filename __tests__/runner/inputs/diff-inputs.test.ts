import { describe, expect, it } from '@jest/globals';
import { DEFAULT_DIFF_POLICY } from '../../../src/prompt/context.js';
import { DIFF_INPUT_DEFAULTS, readDiffInputs } from '../../../src/runner/inputs/inputs.js';

type Given = Partial<Record<keyof typeof DIFF_INPUT_DEFAULTS, string>>;

function read(given: Given) {
  return readDiffInputs((name) => given[name] ?? DIFF_INPUT_DEFAULTS[name]);
}

describe('the inputs about the diff', () => {
  it('have the same defaults as the command line', () => {
    expect(read({})).toEqual(DEFAULT_DIFF_POLICY);
  });

  it('choose the paths and the size of the diff', () => {
    expect(read({ 'max-diff-tokens': '0', paths: 'src/**\nlib/**, !*.md' })).toEqual({
      maxTokens: 0,
      paths: ['src/**', 'lib/**'],
      pathsIgnore: ['*.md'],
    });
  });

  it.each<[Given, string]>([
    [{ 'max-diff-tokens': 'many' }, 'max-diff-tokens'],
    [{ 'max-diff-tokens': '-1' }, 'max-diff-tokens'],
    [{ paths: 'src/[' }, 'src/['],
    [{ paths: '!a/[b' }, 'a/[b'],
  ])('are refused: %j', (given, named) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(named) }),
    );
  });

  it.each([
    ['docs/', 'Write `docs/**` for all that is in the folder.'],
    ['!docs/', 'Write `!docs/**` for all that is in the folder.'],
    ['./**/*.ts', 'Write `**/*.ts`.'],
    ['!/docs/**', 'Write `!docs/**`.'],
  ])('refuse a pattern that can match no file: %s', (paths, remedy) => {
    expect(() => read({ paths })).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining('the input `paths` has a pattern that matches no file: '),
        remedy,
      }),
    );
  });

  it('accept plain patterns unchanged', () => {
    const { paths } = read({ paths: './src/*.ts, \\!odd.md, **' });
    expect(paths).toEqual(['./src/*.ts', '\\!odd.md', '**']);
  });
});
